/**
 * Reads certificates from files that the operator or a program such as certbot maintains. The files are read every few
 * seconds, because change notifications don't detect a replaced symbolic link (Kubernetes, certbot). If a new pair is
 * unusable, the previous pair remains in use.
 */
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../base/kernel/log.ts';
import type { CertificateTable } from './certificate-table.ts';
import { CertificateError, readKeyPair } from './core/key-pair.ts';

export interface PairFiles {
  /** The name of the certificate in the table and in messages. */
  readonly slot: string;
  readonly cert: string;
  readonly key: string;
}

export interface FilePairs {
  /** Reads all files. @throws {CertificateError} with a message that names the files */
  load(): Promise<void>;
  /**
   * Reads the files now. A change is applied immediately if `isComplete` is true, and otherwise only after two
   * consecutive readings have returned the same contents.
   */
  check(isComplete?: boolean): Promise<void>;
  /** Returns the problems of the rejected pairs, by certificate name. */
  faults(): ReadonlyMap<string, string>;
  watch(): void;
  stop(): void;
}

export interface FilePairsDeps {
  readonly files: readonly PairFiles[];
  readonly table: CertificateTable;
  readonly log: Logger;
  readonly now: () => number;
  readonly pollMs?: number;
}

const defaultPollMs = 2000;

interface Reading {
  readonly cert: string;
  readonly key: string;
}

interface Watched {
  readonly files: PairFiles;
  used: Reading | undefined;
  /** The latest contents of the files, if they aren't in use yet. */
  seen: Reading | undefined;
  rejected: Reading | undefined;
}

export function createFilePairs({ files, table, log, now, pollMs }: FilePairsDeps): FilePairs {
  const watched = files.map(
    (one): Watched => ({
      files: one,
      used: undefined,
      seen: undefined,
      rejected: undefined,
    }),
  );
  const faults = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  async function checkOne(pair: Watched, isComplete: boolean): Promise<void> {
    const { slot, cert, key } = pair.files;
    let reading: Reading;
    try {
      reading = await readBoth(pair.files);
    } catch (error) {
      const fault = reasonOf(error);
      if (faults.get(slot) !== fault) log.error({ cert, key, error }, `${kept} ${fault}`);
      faults.set(slot, fault);
      return;
    }
    if (isSame(reading, pair.used)) {
      faults.delete(slot);
      pair.seen = undefined;
      pair.rejected = undefined;
      return;
    }
    // A change must be read twice, because programs write the two files one after the other.
    const isStable = isComplete || isSame(reading, pair.seen);
    pair.seen = reading;
    if (!isStable || isSame(reading, pair.rejected)) return;
    try {
      const parsed = readKeyPair(reading);
      if (parsed.notAfter <= now()) throw new CertificateError('The certificate has expired.');
      table.set(slot, parsed);
      pair.used = reading;
      pair.rejected = undefined;
      faults.delete(slot);
      log.info({ cert, expiresAt: new Date(parsed.notAfter).toISOString() }, 'loaded a new certificate');
    } catch (error) {
      pair.rejected = reading;
      faults.set(slot, reasonOf(error));
      log.error({ cert, key, error }, `${kept} ${reasonOf(error)}`);
    }
  }

  const check = async (isComplete = false): Promise<void> => {
    for (const pair of watched) await checkOne(pair, isComplete);
  };

  return {
    async load() {
      for (const pair of watched) {
        const { slot, cert, key } = pair.files;
        try {
          const reading = await readBoth(pair.files);
          table.set(slot, readKeyPair(reading));
          pair.used = reading;
        } catch (error) {
          throw new CertificateError(
            `The certificate in ${cert} and ${key} can't be used. ${reasonOf(error)}`,
            {
              cause: error,
            },
          );
        }
      }
    },
    check,
    faults: () => faults,
    watch() {
      const next = (): void => {
        timer = setTimeout(
          () => void check().finally(() => timer !== undefined && next()),
          pollMs ?? defaultPollMs,
        );
        timer.unref();
      };
      next();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

const kept = 'The new certificate files are ignored, and the previous certificate is still used.';

async function readBoth({ cert, key }: PairFiles): Promise<Reading> {
  const [certText, keyText] = await Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')]);
  return { cert: certText, key: keyText };
}

const isSame = (one: Reading, other: Reading | undefined): boolean =>
  one.cert === other?.cert && one.key === other.key;

/** Returns the reason as a sentence without paths, because `/health` is public. */
function reasonOf(error: unknown): string {
  if (error instanceof CertificateError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return `A certificate file can't be read (${code ?? 'unknown error'}).`;
}
