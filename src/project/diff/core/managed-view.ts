/**
 * Selects the objects that a comparison covers: the project's objects, as in a dump
 * (`src/operations/dump/core/selection.ts`). Extends the policy that pg-delta provides for the hosted service.
 */
import type { FactBase, StableId } from '@supabase/pg-delta';
import { supabaseProfile } from '@supabase/pg-delta/integrations';
import type { Policy } from '@supabase/pg-delta/policy';

/** Schemas to which a project adds policies, triggers and functions. */
const extendable = ['auth', 'storage', 'realtime'];

/** Schemas of Plinth and of extensions that the base policy doesn't list. */
const ownSchemas = ['_plinth', 'dbdev', 'repack', 'tiger', 'tiger_data', 'topology'];

/** Extensions that Plinth installs itself, unlike the hosted service. */
const ownExtensions = ['pg_net'];

/**
 * Extensions that the hosted service's databases contain from the start, unlike Plinth's. The migrations of such a
 * project create them, because they were pulled from the hosted service, but its declarative schema files don't.
 */
const hostedExtensions = ['pgjwt'];

const routines = ['function', 'procedure'];
const serviceRole = /^(supabase_.*|dashboard_user|pgbouncer)$/;

/** Returns a policy that selects the project's objects in both schemas. */
export const managedView = (from: FactBase, to: FactBase): Policy => ({
  id: 'plinth',
  extends: supabaseProfile.policy === undefined ? [] : [supabaseProfile.policy],
  assumedSchemas: ownSchemas,
  filter: [
    ...[from, to].flatMap(projectRules),
    { match: { all: [{ kind: 'policy' }, { schema: extendable }] }, action: 'include' },
    {
      match: {
        all: [{ kind: 'comment' }, { target: { kind: ['policy', 'trigger'], schema: extendable } }],
      },
      action: 'include',
    },
    {
      match: { all: [{ kind: 'extension' }, { name: [...ownExtensions, ...absentIn(to)] }] },
      action: 'exclude',
    },
    { match: { schema: ownSchemas }, action: 'exclude' },
    { match: { all: [{ kind: 'schema' }, { name: ownSchemas }] }, action: 'exclude' },
    {
      match: {
        all: [
          { kind: ['acl', 'comment', 'securityLabel'] },
          { any: [{ target: { schema: ownSchemas } }, { target: { kind: 'schema', name: ownSchemas } }] },
        ],
      },
      action: 'exclude',
    },
  ],
});

/** Returns the hosted service's extensions that `to` lacks, and which the plan would drop. */
const absentIn = (to: FactBase): string[] =>
  hostedExtensions.filter((name) => !to.has({ kind: 'extension', name }));

interface Routine {
  readonly schema: string;
  readonly name: string;
}

/**
 * Returns the project's functions in the services' schemas. On a server without superuser access, one role owns all
 * objects, so the result is empty.
 */
function projectRoutines(facts: FactBase): Routine[] {
  const ownerOf = (id: StableId): string | undefined => {
    const owner = facts.outgoingEdges(id).find(({ kind }) => kind === 'owner')?.to;
    return owner?.kind === 'role' ? owner.name : undefined;
  };
  const authOwner = ownerOf({ kind: 'schema', name: 'auth' });
  return facts.facts().flatMap(({ id }) => {
    if (id.kind !== 'function' && id.kind !== 'procedure') return [];
    if (!extendable.includes(id.schema)) return [];
    const owner = ownerOf(id);
    const isProjects = owner !== undefined && owner !== authOwner && !serviceRole.test(owner);
    return isProjects ? [{ schema: id.schema, name: id.name }] : [];
  });
}

function projectRules(facts: FactBase): NonNullable<Policy['filter']> {
  const functions = projectRoutines(facts);
  return [...functions.flatMap(includedRoutine), ...includedTriggers(facts, functions)];
}

/** The base policy excludes triggers that are on the services' tables and call a function in the services' schemas. */
const includedTriggers = (facts: FactBase, functions: readonly Routine[]): NonNullable<Policy['filter']> =>
  facts.edges.flatMap(({ from: trigger, to }) =>
    trigger.kind === 'trigger' &&
    to.kind === 'function' &&
    functions.some(({ schema, name }) => schema === to.schema && name === to.name)
      ? [
          {
            match: {
              all: [
                { kind: 'trigger' },
                { schema: trigger.schema },
                { idField: { field: 'table', glob: trigger.table } },
                { name: trigger.name },
              ],
            },
            action: 'include' as const,
          },
        ]
      : [],
  );

const includedRoutine = ({ schema, name }: Routine): NonNullable<Policy['filter']> => [
  { match: { all: [{ kind: routines }, { schema }, { name }] }, action: 'include' },
  {
    match: {
      all: [{ kind: ['acl', 'comment', 'securityLabel'] }, { target: { kind: routines, schema, name } }],
    },
    action: 'include',
  },
];
