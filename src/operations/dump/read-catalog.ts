/** Reads all objects that a dump can contain. */
import {
  eventTriggerObject,
  extensionObject,
  publicationObject,
  readComments,
  readDefaultAcls,
  readDependencies,
  readEventTriggers,
  readExtensions,
  readExtensionTables,
  readLabels,
  readPublications,
  readSchemas,
  schemaObject,
} from './objects/database.ts';
import {
  readServers,
  readUserMappings,
  readWrappers,
  serverObject,
  userMappingObject,
  wrapperObject,
} from './objects/foreign.ts';
import { functionObject, readFunctions } from './objects/functions.ts';
import {
  accessMethodObject,
  languageObject,
  readAccessMethods,
  readLanguages,
  readSubscriptionNames,
  readSubscriptions,
  readTransforms,
  subscriptionObject,
  transformObject,
} from './objects/low-level.ts';
import {
  castObject,
  collationObject,
  conversionObject,
  operatorClassObject,
  operatorFamilyObject,
  operatorObject,
  readCasts,
  readCollations,
  readConversions,
  readOperatorClasses,
  readOperatorFamilies,
  readOperators,
} from './objects/operators.ts';
import { type RelationRow, readRelations, readSequences, type SequenceRow } from './objects/relation-rows.ts';
import { relationObjects, sequenceObjects } from './objects/relations.ts';
import { readApiRoles } from './objects/roles.ts';
import {
  constraintObject,
  indexObjects,
  policyObject,
  readConstraints,
  readIndexes,
  readPolicies,
  readRules,
  readStatistics,
  readTriggers,
  ruleObject,
  statisticsObject,
  triggerObject,
} from './objects/table-objects.ts';
import { readTextSearch, textSearchObject } from './objects/text-search.ts';
import { readTypes, type TypeRow, typeObject } from './objects/types.ts';
import type { Catalog, CatalogObject, CatalogSession, Dependency, SequenceData, TableData } from './types.ts';

interface ReadOptions {
  /** Whether the publications in the dump can contain the schema's tables. */
  readonly includes: (schema: string) => boolean;
}

export async function readCatalog(session: CatalogSession, options: ReadOptions): Promise<Catalog> {
  const extensions = await readExtensions(session);
  const types = await readTypes(session);
  const relations = await readRelations(session);
  const sequences = await readSequences(session);
  const subscriptions = await readSubscriptions(session);
  const all: CatalogObject[] = [
    ...(await readSchemas(session)).map(schemaObject),
    ...extensions.map(extensionObject),
    ...(await readAccessMethods(session)).map(accessMethodObject),
    ...(await readLanguages(session)).map(languageObject),
    ...(await readTransforms(session)).map(transformObject),
    ...types.filter(({ type }) => type !== 'base').map(typeObject),
    ...(await readFunctions(session)).map(functionObject),
    ...(await readOperators(session)).map(operatorObject),
    ...(await readOperatorFamilies(session)).map(operatorFamilyObject),
    ...(await readOperatorClasses(session)).map(operatorClassObject),
    ...(await readCasts(session)).map(castObject),
    ...(await readConversions(session)).map(conversionObject),
    ...(await readCollations(session)).map(collationObject),
    ...(await readTextSearch(session)).map(textSearchObject),
    ...(await readWrappers(session)).map(wrapperObject),
    ...(await readServers(session)).map(serverObject),
    ...(await readUserMappings(session)).map(userMappingObject),
    ...relations.flatMap(relationObjects),
    ...sequences.flatMap(sequenceObjects),
    ...(await readConstraints(session)).map(constraintObject),
    ...(await readIndexes(session)).flatMap(indexObjects),
    ...(await readStatistics(session)).map(statisticsObject),
    ...(await readRules(session)).map(ruleObject),
    ...(await readTriggers(session)).map(triggerObject),
    ...(await readPolicies(session)).map(policyObject),
    ...(await readPublications(session)).map((row) => publicationObject(row, options.includes)),
    ...(subscriptions ?? []).map(subscriptionObject),
    ...(await readEventTriggers(session)).map(eventTriggerObject),
  ];
  const { dependencies, members } = splitDependencies(await readDependencies(session));
  const extensionTables = new Map(
    (await readExtensionTables(session)).map(({ oid, condition }) => [`pg_class:${oid}`, condition]),
  );
  const unreadable = subscriptions === undefined ? await readSubscriptionNames(session) : [];
  return {
    serverVersion: session.serverVersion,
    objects: withoutMembers(all, members),
    dependencies,
    apiRoles: await readApiRoles(session),
    comments: [...(await readComments(session)), ...(await readLabels(session))],
    defaultAcls: await readDefaultAcls(session),
    tables: relations.flatMap((row) => tableData(row, members, extensionTables)),
    sequences: sequences
      .filter(({ oid }) => !members.has(`pg_class:${oid}`) || extensionTables.has(`pg_class:${oid}`))
      .map(sequenceData),
    memberTables: relations
      .filter(({ kind, oid }) => kind === 'r' && members.has(`pg_class:${oid}`))
      .map((row) => dataOf(row)),
    memberSequences: sequences.filter(({ oid }) => members.has(`pg_class:${oid}`)).map(sequenceData),
    populated: new Set(
      relations
        .filter(({ kind, populated }) => kind === 'm' && populated)
        .map(({ oid }) => `pg_class:${oid}`),
    ),
    unsupported: [
      ...unreadable.map(({ name }) => `subscription ${name}, because only a superuser can read it`),
      ...baseTypes(types, members),
    ],
  };
}

/** An extension creates its members, so a dependency on a member counts as a dependency on the extension. */
function splitDependencies(rows: readonly (Dependency & { type: string })[]) {
  const members = new Map(rows.filter(({ type }) => type === 'e').map(({ from, to }) => [from, to]));
  const dependencies = rows
    .filter(({ type }) => type !== 'e')
    .map(({ from, to }) => ({ from, to: members.get(to) ?? to }));
  return { dependencies, members };
}

function withoutMembers(
  objects: readonly CatalogObject[],
  members: ReadonlyMap<string, string>,
): CatalogObject[] {
  const isMember = (object: CatalogObject): boolean =>
    [object.key, ...(object.aliases ?? [])].some((key) => members.has(key));
  // Objects that belong to an extension's member, such as an index of an extension's table, are also excluded.
  const excluded = new Set(objects.filter(isMember).map(({ key }) => key));
  const belongsToMember = ({ kind, needs = [] }: CatalogObject): boolean =>
    (kind === 'ROW SECURITY' ||
      kind === 'PARTITION' ||
      kind === 'CONSTRAINT' ||
      kind === 'INDEX' ||
      kind === 'OWNED SEQUENCE' ||
      kind === 'FOREIGN KEY') &&
    needs.some((key) => members.has(key));
  return objects.filter((object) => !excluded.has(object.key) && !belongsToMember(object));
}

function tableData(
  row: RelationRow,
  members: ReadonlyMap<string, string>,
  extensionTables: ReadonlyMap<string, string>,
): TableData[] {
  const key = `pg_class:${row.oid}`;
  if (row.kind !== 'r' || (members.has(key) && !extensionTables.has(key))) return [];
  const condition = extensionTables.get(key)?.replace(/^where\s+/i, '') || undefined;
  return [dataOf(row, condition)];
}

const dataOf = ({ identity, owner, schema, name, columns }: RelationRow, condition?: string): TableData => ({
  table: identity,
  owner,
  schema,
  name,
  columns: columns.filter(({ generated }) => generated === '').map((column) => column.name),
  condition,
});

const sequenceData = ({ identity, schema }: SequenceRow): SequenceData => ({ sequence: identity, schema });

/**
 * Returns the base types that don't belong to an extension. Such types are rare, because base types require functions
 * in C.
 */
const baseTypes = (types: readonly TypeRow[], members: ReadonlyMap<string, string>): string[] =>
  types
    .filter(({ type, oid }) => type === 'base' && !members.has(`pg_type:${oid}`))
    .map(({ identity }) => `type ${identity}`);
