import { createInterface } from 'node:readline';
import type { FaultPlan } from './faults.ts';
import { HranaServer, type ServerOptions } from './server.ts';

/** One line on standard input; the answer is a line on standard output with the same id. */
export type Command = { readonly id: number } & (
  | { readonly do: 'log' | 'forget' }
  | { readonly do: 'fault'; readonly plan: FaultPlan }
);

// Child of start.ts: a server in a process of its own, which says its port and ends with its standard input.
const server = new HranaServer(JSON.parse(process.argv[2] ?? '{}') as ServerOptions);
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
say({ port: await server.listen() });

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  if (command.do === 'forget') server.forget();
  else if (command.do === 'fault') server.fault(command.plan);
  say({ id: command.id, log: command.do === 'log' ? server.log : [] });
}
// At once and without closing the database: that would fold the log into the file and renumber its frames.
process.exit();
