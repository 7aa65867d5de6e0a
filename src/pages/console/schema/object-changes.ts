/** Types for changes of types, sequences, publications, event triggers and foreign servers. */
import type { TypeRef } from './type-ref.ts';

interface Named {
  readonly schema: string;
  readonly name: string;
}

export type PublishedOperation = 'insert' | 'update' | 'delete' | 'truncate';

/** Numbers are strings of digits, because JavaScript's numbers can't represent every `bigint`. */
export interface SequenceOptions {
  readonly increment?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly cycle?: boolean | undefined;
  /** The next value of an existing sequence, and the first value of a new one. */
  readonly restart?: string | undefined;
}

/** The options of a foreign server or a user mapping, by name. */
export type ForeignOptions = Readonly<Record<string, string>>;

type DomainChange =
  | (Named & {
      readonly kind: 'create_domain';
      readonly type: TypeRef;
      readonly notNull: boolean;
      /** A SQL expression. */
      readonly default?: string | undefined;
      /** A SQL expression in which VALUE is the value to check. */
      readonly check?: string | undefined;
    })
  | (Named & {
      readonly kind: 'alter_domain';
      readonly notNull?: boolean | undefined;
      /** Null removes the default. */
      readonly default?: string | null | undefined;
    })
  | (Named & {
      readonly kind: 'add_domain_check';
      readonly constraint?: string | undefined;
      readonly check: string;
    })
  | (Named & { readonly kind: 'drop_domain_check'; readonly constraint: string })
  | (Named & { readonly kind: 'rename_domain'; readonly to: string })
  | (Named & { readonly kind: 'drop_domain' });

type CompositeChange =
  | (Named & {
      readonly kind: 'create_composite';
      readonly attributes: readonly { readonly name: string; readonly type: TypeRef }[];
    })
  | (Named & {
      readonly kind: 'add_attribute';
      readonly attribute: { readonly name: string; readonly type: TypeRef };
    })
  | (Named & { readonly kind: 'rename_composite'; readonly to: string })
  | (Named & { readonly kind: 'drop_composite' });

type SequenceChange =
  | (Named & {
      readonly kind: 'create_sequence';
      readonly type: 'smallint' | 'integer' | 'bigint';
      readonly options: SequenceOptions;
    })
  | (Named & { readonly kind: 'alter_sequence'; readonly options: SequenceOptions })
  | (Named & { readonly kind: 'drop_sequence' });

type PublicationChange =
  | {
      readonly kind: 'create_publication';
      readonly publication: string;
      readonly tables: readonly Named[];
      readonly operations: readonly PublishedOperation[];
    }
  | {
      readonly kind: 'publish_tables' | 'unpublish_tables';
      readonly publication: string;
      readonly tables: readonly Named[];
    }
  | {
      readonly kind: 'alter_publication';
      readonly publication: string;
      readonly operations: readonly PublishedOperation[];
    }
  | { readonly kind: 'drop_publication'; readonly publication: string };

type EventTriggerChange =
  | { readonly kind: 'set_event_trigger'; readonly trigger: string; readonly enabled: boolean }
  | { readonly kind: 'drop_event_trigger'; readonly trigger: string };

type ForeignChange =
  | {
      readonly kind: 'create_server';
      readonly server: string;
      readonly wrapper: string;
      readonly options: ForeignOptions;
    }
  | { readonly kind: 'drop_server'; readonly server: string }
  | {
      readonly kind: 'create_user_mapping';
      readonly server: string;
      readonly role: string;
      readonly options: ForeignOptions;
    }
  | { readonly kind: 'drop_user_mapping'; readonly server: string; readonly role: string };

export type ObjectChange =
  | DomainChange
  | CompositeChange
  | SequenceChange
  | PublicationChange
  | EventTriggerChange
  | ForeignChange;

const objectKinds: ReadonlySet<string> = new Set<ObjectChange['kind']>([
  'create_domain',
  'alter_domain',
  'add_domain_check',
  'drop_domain_check',
  'rename_domain',
  'drop_domain',
  'create_composite',
  'add_attribute',
  'rename_composite',
  'drop_composite',
  'create_sequence',
  'alter_sequence',
  'drop_sequence',
  'create_publication',
  'publish_tables',
  'unpublish_tables',
  'alter_publication',
  'drop_publication',
  'set_event_trigger',
  'drop_event_trigger',
  'create_server',
  'drop_server',
  'create_user_mapping',
  'drop_user_mapping',
]);

export const isObjectChange = (change: { readonly kind: string }): change is ObjectChange =>
  objectKinds.has(change.kind);
