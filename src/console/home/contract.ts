/** The home page's route. */
import { json, type RouteTable } from '../core/contract.ts';

export interface LeftOut {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Which of the first steps are done. */
export type Progress = Readonly<
  Record<'table' | 'policy' | 'user' | 'bucket' | 'function' | 'message', boolean>
>;

export interface Home {
  readonly project: string;
  readonly url: string;
  readonly publishableKey: string;
  readonly anonKey: string;
  readonly database: { readonly version: string; readonly embedded: boolean; readonly url: string };
  readonly progress: Progress;
  /** Statements of migrations and seeds that were skipped at startup, so the schema is incomplete. */
  readonly leftOut: readonly LeftOut[];
  /** Each service with its problem; null if it works. */
  readonly services: readonly { readonly name: string; readonly fault: string | null }[];
}

export const contract = {
  'GET /home': { response: json<Home>() },
} as const satisfies RouteTable;
