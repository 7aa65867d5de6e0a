/**
 * Applies PATCH operations (RFC 7644 section 3.5.2), including the forms that Entra ID and Okta send: operations in any
 * case, booleans as strings, paths as keys of a value without a path, and values in removals.
 */
import { isJsonObject, type Json, type JsonObject } from '../../common/json.ts';
import { ScimError } from './errors.ts';
import { type Filter, matches, parseFilter, parsePath } from './filter.ts';
import { canonicalName, type ResourceSchema } from './schema.ts';

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value: Json | undefined;
}

const maxOperations = 1000;
const multiValued: ReadonlySet<string> = new Set(['emails', 'phoneNumbers', 'members']);

/** @throws {ScimError} invalidSyntax */
export function parsePatch(body: JsonObject): Operation[] {
  const list = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1];
  if (!Array.isArray(list) || list.length === 0)
    throw new ScimError(400, 'Operations must be a list', 'invalidSyntax');
  if (list.length > maxOperations) throw new ScimError(413, 'Too many operations');
  return list.map((each) => {
    const { op, path, value } = isJsonObject(each) ? each : {};
    const name = typeof op === 'string' ? op.toLowerCase() : '';
    if (name !== 'add' && name !== 'replace' && name !== 'remove')
      throw new ScimError(400, 'op must be add, replace or remove', 'invalidSyntax');
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw new ScimError(400, 'path must be a string', 'invalidPath');
    return { op: name, path: (path ?? '').trim(), value };
  });
}

/** Returns the resource after the operations. Doesn't change `resource`. The caller normalizes the result. */
export function applyPatch(
  schema: ResourceSchema,
  resource: JsonObject,
  operations: readonly Operation[],
): JsonObject {
  const result = structuredClone(resource);
  for (const operation of operations) applyOne(schema, result, operation);
  return result;
}

function applyOne(schema: ResourceSchema, target: JsonObject, { op, path, value }: Operation): void {
  if (path !== '') {
    applyAt(schema, target, { op, path, value });
    return;
  }
  if (op === 'remove') throw new ScimError(400, 'A removal needs a path', 'noTarget');
  if (!isJsonObject(value)) throw new ScimError(400, 'value must be an object', 'invalidValue');
  for (const [name, each] of Object.entries(value)) {
    if (name.toLowerCase() === 'schemas') continue;
    const urn = Object.keys(schema.extensions).find((one) => one.toLowerCase() === name.toLowerCase());
    // The members of an extension are set one by one, so that the others remain.
    if (urn !== undefined && isJsonObject(each)) {
      for (const [member, inner] of Object.entries(each))
        applyAt(schema, target, { op, path: `${urn}:${member}`, value: inner });
    } else applyAt(schema, target, { op, path: name, value: each });
  }
}

interface Place {
  /** The names as in the schema, of which the first is an attribute or the URN of an extension. */
  readonly names: readonly string[];
  readonly filter: Filter | undefined;
  readonly sub: string | undefined;
}

/** Parses paths such as `emails[type eq "work"].value` and `urn:…:User:department`. */
function placeOf(schema: ResourceSchema, path: string): Place | undefined {
  const bracket = /^([^[\]]+)\[(.*)\](?:\.(\w+))?$/s.exec(path);
  let names: string[];
  let filter: Filter | undefined;
  try {
    names = parsePath(bracket?.[1] ?? path);
    filter = bracket?.[2] === undefined ? undefined : parseFilter(bracket[2]);
  } catch {
    throw new ScimError(400, 'The path is invalid', 'invalidPath');
  }
  const [first = '', ...rest] = names;
  const name = canonicalName(schema, first);
  // Attributes that this server doesn't store are ignored.
  return name === undefined ? undefined : { names: [name, ...rest], filter, sub: bracket?.[3] };
}

function applyAt(schema: ResourceSchema, target: JsonObject, { op, path, value }: Operation): void {
  const place = placeOf(schema, path);
  if (place === undefined) return;
  const { names, filter, sub } = place;
  const [name = '', second] = names;
  if (filter !== undefined) {
    applyFiltered(target, name, { filter, sub, op, value });
    return;
  }
  if (op !== 'remove' && value === undefined) throw new ScimError(400, 'value is missing', 'invalidValue');
  if (second !== undefined) {
    const inner = target[name];
    const isList = Array.isArray(inner);
    const members = isList ? inner.filter(isJsonObject) : [isJsonObject(inner) ? inner : {}];
    if (!isList) target[name] = members[0] ?? {};
    for (const each of members) setMember(each, second, op === 'remove' ? undefined : value);
    return;
  }
  if (op === 'remove') removeValue(target, name, value);
  else if (op === 'add' && multiValued.has(name)) addValues(target, name, value);
  else if (op === 'add' && isJsonObject(value) && isJsonObject(target[name]))
    target[name] = { ...target[name], ...value };
  else target[name] = value ?? null;
}

function setMember(object: JsonObject, name: string, value: Json | undefined): void {
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
  if (value === undefined || value === null) delete object[key];
  else object[key] = value;
}

const listOf = (value: Json | undefined): Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

const idOf = (value: Json): Json => (isJsonObject(value) ? (value.value ?? null) : value);

function addValues(target: JsonObject, name: string, value: Json | undefined): void {
  const known = listOf(target[name]);
  const ids = new Set(known.map(idOf));
  const added = listOf(value).filter((each) => !ids.has(idOf(each)));
  const isPrimary = added.some((each) => isJsonObject(each) && String(each.primary).toLowerCase() === 'true');
  // Only one value is the primary one.
  const kept = isPrimary
    ? known.map((each) => (isJsonObject(each) ? { ...each, primary: false } : each))
    : known;
  target[name] = [...kept, ...added];
}

function removeValue(target: JsonObject, name: string, value: Json | undefined): void {
  // Entra ID sends the members to remove as the value.
  if (multiValued.has(name) && value !== undefined && value !== null) {
    const ids = new Set(listOf(value).map(idOf));
    target[name] = listOf(target[name]).filter((each) => !ids.has(idOf(each)));
  } else delete target[name];
}

function applyFiltered(
  target: JsonObject,
  name: string,
  {
    filter,
    sub,
    op,
    value,
  }: {
    readonly filter: Filter;
    readonly sub: string | undefined;
    readonly op: Operation['op'];
    readonly value: Json | undefined;
  },
): void {
  const values = listOf(target[name]);
  const found = values.filter((each) => matches(filter, each));
  if (op === 'remove') {
    if (sub === undefined) target[name] = values.filter((each) => !found.includes(each));
    else for (const each of found) if (isJsonObject(each)) setMember(each, sub, undefined);
    return;
  }
  if (found.length === 0) {
    // Entra ID sets the work address with a filter, before there is one.
    const made = { ...madeFrom(filter), ...(sub === undefined ? (isJsonObject(value) ? value : {}) : {}) };
    if (sub !== undefined) setMember(made, sub, value);
    if (Object.keys(madeFrom(filter)).length === 0)
      throw new ScimError(400, 'No value matches the filter in the path', 'noTarget');
    target[name] = [...values, made];
    return;
  }
  for (const each of found) {
    if (!isJsonObject(each)) continue;
    if (sub !== undefined) setMember(each, sub, value);
    else if (isJsonObject(value)) Object.assign(each, value);
  }
}

/** Returns the members that a new value needs in order to match the filter. */
function madeFrom(filter: Filter): JsonObject {
  if (filter.kind === 'and') return { ...madeFrom(filter.left), ...madeFrom(filter.right) };
  const [name, ...rest] = filter.kind === 'compare' ? filter.path : [];
  if (filter.kind !== 'compare' || filter.op !== 'eq' || name === undefined || rest.length > 0) return {};
  return { [name]: filter.value };
}
