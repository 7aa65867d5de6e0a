/** The parts of a project that a deployment compares with a server and changes there. */
import type { Config } from '../../../platform/config/index.ts';
import type { ManagementClient } from '../management/client.ts';

/** The names of the parts, in the order in which they are printed. */
export const partNames = ['secrets', 'migrations', 'buckets', 'functions', 'settings'] as const;
export type PartName = (typeof partNames)[number];

/**
 * The steps of a deployment in the order in which they run, with the text that is printed before each one. Decision 118
 * explains the order.
 */
export const stepNames = {
  secrets: 'Setting secrets...',
  upload: 'Uploading functions...',
  migrations: 'Applying migrations...',
  activate: 'Activating functions...',
  settings: 'Changing settings...',
  buckets: 'Saving buckets...',
  objects: 'Uploading files...',
  prune: 'Deleting functions...',
} as const;
export type StepName = keyof typeof stepNames;

/** The difference between one part of the project and the server. */
export interface Part {
  /** The changes, as lines with a sign. */
  readonly changes: readonly string[];
  /** Differences that the deployment keeps, and values that can't be compared. */
  readonly notes: readonly string[];
  /** Makes the changes. Each step can be repeated. */
  readonly steps: Partial<Readonly<Record<StepName, () => Promise<void>>>>;
}

export interface DeployContext {
  readonly client: ManagementClient;
  readonly projectDir: string;
  readonly config: Config;
}

/** A part that doesn't differ. */
export const withoutChanges = (notes: readonly string[] = []): Part => ({ changes: [], notes, steps: {} });
