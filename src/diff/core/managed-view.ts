/**
 * Selects the objects that a comparison covers: those of the project, as in a dump (`src/dump/core/selection.ts`). The
 * policy of pg-delta for the hosted service is the base.
 */
import { supabaseProfile } from '@supabase/pg-delta/integrations';
import type { Policy } from '@supabase/pg-delta/policy';

/** Schemas to which a project adds policies, triggers and functions. */
const extendable = ['auth', 'storage', 'realtime'];

/** Schemas of Plinth and of extensions that the base policy doesn't list. */
const ownSchemas = ['_plinth', 'dbdev', 'repack', 'tiger', 'tiger_data', 'topology'];

/** Extensions that Plinth installs itself and the hosted service doesn't. */
const ownExtensions = ['pg_net'];

export const managedView: Policy = {
  id: 'plinth',
  extends: supabaseProfile.policy === undefined ? [] : [supabaseProfile.policy],
  assumedSchemas: ownSchemas,
  filter: [
    { match: { all: [{ kind: 'policy' }, { schema: extendable }] }, action: 'include' },
    {
      match: {
        all: [{ kind: 'comment' }, { target: { kind: ['policy', 'trigger'], schema: extendable } }],
      },
      action: 'include',
    },
    { match: { all: [{ kind: 'extension' }, { name: ownExtensions }] }, action: 'exclude' },
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
};
