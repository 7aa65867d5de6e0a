/**
 * Converts a snapshot to a JSON document and back, so that a server can send the schema of its database. The document
 * depends on the version of pg-delta, because other versions model objects differently.
 */
import { deserializeSnapshot, ENGINE_VERSION, serializeSnapshot } from '@supabase/pg-delta';
import { z } from 'zod';
import { type CatalogObject, objectKinds } from '../../operations/dump/index.ts';
import { DiffError } from './errors.ts';
import type { Snapshot } from './types.ts';

/** Increased whenever the document or the objects in it change. */
const format = 1;

const text = z.string();
const pairs = z.array(z.tuple([text, text]));

const schema = z.object({
  format: z.literal(format),
  engine: z.literal(ENGINE_VERSION),
  serverVersion: z.number().int(),
  /** The facts as pg-delta's own document, which contains a checksum. */
  facts: text,
  objects: z.array(
    z.object({
      key: text,
      kind: z.enum(objectKinds),
      schema: text.optional(),
      name: text,
      identity: text,
      section: z.enum(['pre', 'post', 'final']),
      owner: text.optional(),
      needs: z.array(text).optional(),
      statements: z.array(text),
    }),
  ),
  comments: pairs,
  dependencies: z.array(z.object({ from: text, to: text })),
  refs: pairs,
  properties: z.array(
    z.object({
      schema: text.nullable(),
      relation: text,
      column: text.nullable(),
      property: text,
      set: text,
      reset: text,
    }),
  ),
  virtualColumns: z.array(z.object({ schema: text, relation: text, column: text, expression: text })),
  scriptedMembers: z.array(z.object({ schema: text, name: text, grantees: z.array(text) })),
  placeholders: pairs,
});

export type SnapshotDocument = z.output<typeof schema>;

export function snapshotDocument(snapshot: Snapshot): SnapshotDocument {
  const { serverVersion, facts, extras, properties, virtualColumns, scriptedMembers, placeholders } =
    snapshot;
  return {
    format,
    engine: ENGINE_VERSION,
    serverVersion,
    facts: serializeSnapshot(facts, { pgVersion: String(serverVersion) }),
    objects: extras.objects.map(({ key, kind, schema, name, identity, section, owner, needs, create }) => ({
      key,
      kind,
      schema,
      name,
      identity,
      section,
      owner,
      needs: needs && [...needs],
      statements: [...create(new Set())],
    })),
    comments: [...extras.comments],
    dependencies: extras.dependencies.map(({ from, to }) => ({ from, to })),
    refs: [...extras.refs],
    properties: [...properties],
    virtualColumns: [...virtualColumns],
    scriptedMembers: scriptedMembers.map((member) => ({ ...member, grantees: [...member.grantees] })),
    placeholders: [...placeholders],
  };
}

/** @throws {DiffError} `other_version` if another version wrote the document */
export function readSnapshotDocument(document: unknown): Snapshot {
  const parsed = schema.safeParse(document);
  if (!parsed.success) throw new DiffError('other_version', {}, parsed.error);
  const { serverVersion, facts, objects, comments, dependencies, refs, ...rest } = parsed.data;
  const { properties, virtualColumns, scriptedMembers, placeholders } = rest;
  return {
    serverVersion,
    facts: deserializeSnapshot(facts).factBase,
    extras: {
      objects: objects.map(
        ({ statements, needs, ...object }): CatalogObject => ({
          ...object,
          ...(needs === undefined ? {} : { needs }),
          create: () => statements,
        }),
      ),
      comments: new Map(comments),
      dependencies,
      refs: new Map(refs),
    },
    properties,
    virtualColumns,
    scriptedMembers,
    placeholders: new Map(placeholders),
  };
}
