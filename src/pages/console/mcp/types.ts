/**
 * The Console's MCP server, with which AI agents work on the project.
 *
 * Glossary. *Session*: the operator, permissions and options of one MCP request. *Upstream's server*: the server in
 * `@supabase/mcp-server-supabase`, whose tools call the Management API in this process. *Own tools*: the tools that only
 * Plinth has.
 */
import type { z } from 'zod';
import type { Clock } from '../../../base/kernel/clock.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Inbox } from '../../../services/mail/types.ts';
import type { Audit } from '../audit.ts';
import type { Permission } from '../core/roles.ts';
import type { Management } from '../management/calls.ts';
import type { Caller } from '../management/handlers.ts';
import type { NodeLogs } from '../nodes/logs.ts';

export interface McpDeps {
  readonly database: Database;
  readonly config: LiveConfig;
  readonly keys: Keys;
  readonly management: Pick<Management, 'call'>;
  readonly logs: Pick<NodeLogs, 'trace'>;
  readonly inbox: Inbox;
  /** Runs the project's pgTAP tests. Undefined in production. */
  readonly runTests: RunTests | undefined;
  /** The functions in the project folder. Undefined in production. */
  readonly functionFolder: FunctionFolder | undefined;
  readonly apiUrl: () => string;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Runs test files, which are paths below `supabase/tests`. Without paths, runs all files. */
export type RunTests = (
  paths: readonly string[],
) => Promise<{ readonly passed: boolean; readonly output: string }>;

export interface FunctionFile {
  readonly path: string;
  readonly content: Buffer;
}

/** The functions in `supabase/functions`. */
export interface FunctionFolder {
  /** Writes files, whose paths are relative to `supabase/functions`. @throws {Error} with a message for the agent */
  save(slug: string, files: readonly FunctionFile[]): Promise<void>;
  /** Reads a function's files, with paths relative to its folder. Undefined if the folder has no `index.ts`. */
  read(slug: string): Promise<readonly FunctionFile[] | undefined>;
}

/** The groups of tools. All names are upstream's. */
export const features = [
  'docs',
  'database',
  'debugging',
  'development',
  'functions',
  'branching',
  'storage',
] as const;
export type Feature = (typeof features)[number];

/** The groups that are enabled unless the client selects groups, as for upstream's hosted server. */
export const defaultFeatures: readonly Feature[] = features.filter((feature) => feature !== 'storage');

export interface McpOptions {
  /** Whether only tools that don't change anything are available, and SQL is checked to be read-only. */
  readonly isReadOnly: boolean;
  readonly features: readonly Feature[];
  /** The project ref of the branch on which upstream's tools work. Undefined if they work on the project. */
  readonly branchRef?: string | undefined;
}

export interface McpSession extends McpOptions {
  readonly caller: Caller;
}

export interface OwnTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly feature: Feature;
  readonly requires: Permission;
  /** Whether the tool is unavailable in read-only sessions, because it changes something or runs the project's code. */
  readonly changes: boolean;
  /** Whether the tool is also available in sessions that work on a branch. Other tools know only the project. */
  readonly onBranches?: boolean;
  readonly input: Input;
  /** Runs the tool. `untrusted` results contain users' data. @throws {Error} with a message for the agent */
  run(input: z.output<Input>, session: McpSession): Promise<ToolResult>;
}

export type ToolResult = { readonly untrusted: unknown } | { readonly trusted: unknown };

/** Returns the tool with the type of its input inferred. */
export const ownTool = <Input extends z.ZodObject>(tool: OwnTool<Input>): OwnTool =>
  tool as unknown as OwnTool;
