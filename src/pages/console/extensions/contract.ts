import { json, type RouteTable } from '../core/contract.ts';

export interface InstalledExtension {
  readonly version: string;
  readonly schema: string;
  /** Whether the extension is only a row in `pg_extension`, because the server doesn't have the original extension. */
  readonly isPlaceholder: boolean;
}

export interface ExtensionRow {
  readonly name: string;
  /** The extension's description in its control file. */
  readonly comment: string | null;
  /** The version that the server installs. Null if the server no longer has the extension, or for a placeholder. */
  readonly version: string | null;
  /** The schema that the extension requires. Null if the operator can choose a schema. */
  readonly schema: string | null;
  /** The names of the extensions that must be installed first. */
  readonly requires: readonly string[];
  /** Null if the extension isn't installed in this database. */
  readonly installed: InstalledExtension | null;
  /** Where the extension comes from, such as `PostgreSQL`. Null for placeholders and on servers that Plinth doesn't run. */
  readonly source: string | null;
  /** The sentence that explains what to do instead. Null if the extension isn't a placeholder. */
  readonly advice: string | null;
}

export const contract = {
  /** Returns the extensions that are installed or that the project's role can install, ordered by name. */
  'GET /extensions': {
    response: json<{
      readonly extensions: readonly ExtensionRow[];
      /** The schemas that a new extension can be installed in. */
      readonly schemas: readonly string[];
    }>(),
  },
} as const satisfies RouteTable;
