import * as z from 'zod';

export const dbCopyInput = z.strictObject({
  source: z.string().min(1).describe('The database to copy: a file, or the URL of a server.'),
  target: z
    .string()
    .min(1)
    .describe('Where to: a new file, or the URL of a database that holds nothing but its schema.'),
});

export const dbCopyOutput = z.object({
  source: z.string(),
  target: z.string(),
  resumed: z.boolean().describe('Whether an earlier copy was gone on with.'),
  copied: z.int().describe('Rows stored by this call, without passages and texts, which go with their document.'),
  tables: z.array(
    z.object({
      table: z.string(),
      rows: z.int(),
      sha256: z
        .string()
        .describe('Over the rows in the order of their keys; of a full-text index over its counts of tokens.'),
    }),
  ),
  digest: z.string().describe('SHA-256 over all tables: equal for equal databases.'),
  verified: z.literal(true).describe('Both sides were read in full and are equal.'),
});

export type DbCopyOutput = z.output<typeof dbCopyOutput>;
