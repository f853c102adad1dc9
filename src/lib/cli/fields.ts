import * as z from 'zod';

export type FieldKind = 'string' | 'integer' | 'number' | 'boolean';

/** One property of an operation's input, as far as a command line can express it. */
export interface Field {
  /** snake_case, as on the wire. */
  readonly name: string;
  readonly kind: FieldKind;
  /** Whether several values may be given. */
  readonly many: boolean;
  /** The only values allowed, where the schema enumerates them. */
  readonly options: readonly (string | number)[] | undefined;
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

type Schema = z.core.JSONSchema.JSONSchema;

/**
 * Reads the fields of an input schema from its JSON Schema, never from zod's insides. Throws a TypeError for a property
 * that has no form on a command line (an object, a list of lists, a mixture) unless it is in `omit`.
 */
export function fieldsOf(schema: z.ZodType, omit: readonly string[] = []): Field[] {
  const root = z.toJSONSchema(schema, { io: 'input' });
  if (root.type !== 'object') throw new TypeError('only an object schema has flags');
  const required = new Set(root.required ?? []);
  return Object.entries(root.properties ?? {})
    .filter(([name]) => !omit.includes(name))
    .map(([name, property]) => {
      const outer = resolve(property, root);
      const shape = shapeOf(outer, root);
      if (shape === undefined) throw new TypeError(`the field ${name} has no form on a command line: omit it`);
      return {
        ...shape,
        name,
        required: required.has(name),
        default: outer.default ?? shape.default,
        description: outer.description ?? shape.description,
      };
    });
}

type Shape = Omit<Field, 'name' | 'required'>;

function shapeOf(schema: Schema, root: Schema): Shape | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return unionShape(branches, root);
  if (schema.type === 'array') {
    const { items } = schema;
    if (items === undefined || Array.isArray(items)) return undefined;
    const item = shapeOf(resolve(items, root), root);
    if (item === undefined || item.many || item.kind === 'boolean') return undefined;
    return { ...item, many: true, default: undefined };
  }
  const options = optionsOf(schema);
  const kind = kindOf(schema, options);
  if (kind === undefined) return undefined;
  return {
    kind,
    many: false,
    options,
    default: schema.default,
    description: schema.description ?? '',
    minimum: schema.minimum,
    maximum: schema.maximum,
  };
}

/** A value or null is the value; a value or a list of such values is the list. */
function unionShape(branches: readonly (Schema | boolean)[], root: Schema): Shape | undefined {
  const shapes = branches
    .map((branch) => resolve(branch, root))
    .filter((branch) => branch.type !== 'null')
    .map((branch) => shapeOf(branch, root));
  const [first] = shapes;
  if (first === undefined || shapes.some((shape) => shape?.kind !== first.kind)) return undefined;
  if (shapes.some((shape) => JSON.stringify(shape?.options) !== JSON.stringify(first.options))) return undefined;
  return { ...first, many: shapes.some((shape) => shape?.many === true) };
}

function kindOf(schema: Schema, options: Shape['options']): FieldKind | undefined {
  // A nullable text is ['string', 'null'].
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  if (types.length > 1) return undefined;
  const [type] = types;
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    case undefined:
      if (options === undefined) return undefined;
      return options.every((option) => typeof option === 'number') ? 'number' : 'string';
    default:
      return undefined;
  }
}

function optionsOf(schema: Schema): Shape['options'] {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values === undefined || schema.type === 'boolean') return undefined;
  const options = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  return options.length === values.length ? options : undefined;
}

/** Follows a reference into the definitions of its own schema; `true` and `false` constrain nothing that has a form. */
function resolve(schema: Schema | boolean, root: Schema): Schema {
  if (typeof schema === 'boolean') return {};
  const name = schema.$ref === undefined ? undefined : /^#\/\$defs\/(.+)$/.exec(schema.$ref)?.[1];
  if (name === undefined) return schema;
  const { $ref: _, ...own } = schema;
  return { ...root.$defs?.[name], ...own };
}
