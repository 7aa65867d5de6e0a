/**
 * The results of a benchmark in the form that `bench/all.ts` collects. Each benchmark has the option `--json FILE`, which
 * writes its results to a file in addition to the printed text.
 */
import { writeFileSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';

export type Unit = 'µs' | 'ms' | 's' | 'KiB' | 'MiB' | '/s' | '%' | 'times';

export interface Figure {
  /** What was measured, such as `Read by ID`. */
  readonly name: string;
  readonly unit: Unit;
  readonly value: number;
  /** The part of the value that PostgreSQL uses. The server uses the rest. */
  readonly postgres?: number;
  /** The limit that Plinth's value must not exceed or fall below. */
  readonly limit?: { readonly most: number } | { readonly least: number };
  /** The values of other servers, which were measured in the same run. */
  readonly peers?: readonly PeerValue[];
}

export interface PeerValue {
  readonly peer: string;
  readonly value: number;
}

/** The results of one benchmark. */
export interface Results {
  /** The command that repeats the measurement. */
  readonly command: string;
  readonly figures: readonly Figure[];
  /** The versions of other servers, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** The servers that couldn't be measured, by name, with the reasons. */
  readonly absent: Readonly<Record<string, string>>;
  /** Whether the benchmark ended without an error. A result that exceeds its limit isn't an error. */
  readonly isComplete: boolean;
}

export interface Report {
  add(figure: Figure): void;
  version(peer: string, version: string): void;
  absent(peer: string, reason: string): void;
}

/**
 * Creates a report. The file is written after each figure, so if the benchmark fails, the file contains the figures that
 * were measured until then.
 *
 * @param file The value of the option `--json`. Without a file, the report isn't written.
 */
export function createReport(file: string | undefined): Report {
  const command = repeatCommand(process.argv);
  const figures: Figure[] = [];
  const versions: Record<string, string> = {};
  const absent: Record<string, string> = {};
  const write = (isComplete: boolean): void => {
    const results: Results = { command, figures, versions, absent, isComplete };
    if (file !== undefined) writeFileSync(file, JSON.stringify(results));
  };
  let hasFailed = false;
  process.once('uncaughtExceptionMonitor', () => {
    hasFailed = true;
  });
  process.once('exit', () => write(!hasFailed));
  return {
    add(figure) {
      figures.push(figure);
      write(false);
    },
    version(peer, version) {
      versions[peer] = version;
    },
    absent(peer, reason) {
      absent[peer] = reason;
    },
  };
}

/** Returns the command without the option `--json`, and without the folders of this machine. */
function repeatCommand([, script = '', ...args]: readonly string[]): string {
  const at = args.indexOf('--json');
  const given = at === -1 ? args : args.toSpliced(at, 2);
  const shown = given.map((arg) => (isAbsolute(arg) ? 'FILE' : /[\s"'$]/.test(arg) ? `'${arg}'` : arg));
  return ['node', `bench/${basename(script)}`, ...shown].join(' ');
}
