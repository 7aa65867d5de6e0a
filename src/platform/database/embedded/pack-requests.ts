/**
 * Fetches extension packs for a running server. A session that creates an extension whose pack isn't in the folder of
 * extensions writes a line to PostgreSQL's log, which this process reads, and then waits for an answer in a file. Only
 * the server and this process can write to the folder, so SQL can't forge an answer. SQL can forge a request. A request
 * can only name a pack in the checked list, and each pack is fetched once.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../base/kernel/log.ts';
import { PackageError } from '../../packages/index.ts';
import { ensurePack, type KnownPack, knownPack } from '../../packs/index.ts';
import { hasPack, isPlaced, placePack, requestPrefix } from './pack-files.ts';

export interface PackKeeper {
  /** Handles a line of the server's log. Returns false if the line isn't a request. */
  onLine(line: string): boolean;
  /**
   * Returns the pack of an extension. Returns undefined if the extension has no pack, or if it is in a folder that the
   * operator named.
   */
  packOf(name: string): KnownPack | undefined;
  /** Whether the folder of extensions contains the pack, possibly in an earlier version. */
  has(pack: KnownPack): boolean;
  /**
   * Downloads the pack and writes it to the folder of extensions, unless the folder contains it.
   *
   * @throws {PackageError} if the pack can't be downloaded or doesn't run on this machine
   */
  ensure(pack: KnownPack): Promise<void>;
}

interface KeeperOptions {
  /** The folder of extensions. */
  readonly base: string;
  /** The extensions in folders that the operator named. */
  readonly named: ReadonlySet<string>;
  readonly log: Logger;
  readonly onProgress: (message: string) => void;
}

const request = new RegExp(`^LOG: +${requestPrefix}: (\\w+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`);
/** The time after which an answer is removed. Sessions read answers every 20 milliseconds. */
const answerLifetimeMs = 60_000;
/** The maximum number of requests that are answered at the same time. */
const maxRequests = 100;

type Answer =
  | { readonly state: 'working' | 'ready' }
  | { readonly state: 'failed'; readonly message: string; readonly hint: string };

export function createPackKeeper({ base, named, log, onProgress }: KeeperOptions): PackKeeper {
  const running = new Map<string, Promise<void>>();
  let open = 0;

  async function place(pack: KnownPack): Promise<void> {
    const source = await ensurePack(pack, { onProgress });
    const { tryPack } = await import('./pack-trial.ts');
    await tryPack(pack, source, onProgress);
    placePack(base, pack, source);
  }

  async function ensure(pack: KnownPack): Promise<void> {
    if (isPlaced(base, pack)) return;
    const known = running.get(pack.name);
    if (known !== undefined) return await known;
    const placing = place(pack).finally(() => running.delete(pack.name));
    running.set(pack.name, placing);
    await placing;
  }

  function answer(id: string, value: Answer): void {
    const path = join(base, 'answers', id);
    const draft = `${path}.new`;
    writeFileSync(draft, JSON.stringify(value), { mode: 0o644 });
    renameSync(draft, path);
  }

  async function handle(pack: KnownPack, id: string): Promise<void> {
    open++;
    try {
      answer(id, { state: 'working' });
      await ensure(pack);
      answer(id, { state: 'ready' });
    } catch (error) {
      log.warn({ service: 'database', error, extension: pack.name }, 'An extension could not be installed');
      answer(id, { state: 'failed', ...textsOf(error) });
    } finally {
      open--;
      setTimeout(() => rmSync(join(base, 'answers', id), { force: true }), answerLifetimeMs).unref();
    }
  }

  const packOf = (name: string) => (named.has(name) ? undefined : knownPack(name));

  return {
    packOf,
    has: (pack) => hasPack(base, pack),
    ensure,
    onLine(line) {
      const [, name = '', id = ''] = request.exec(line) ?? [];
      const pack = packOf(name);
      if (pack === undefined || open >= maxRequests) return false;
      handle(pack, id).catch((error: unknown) =>
        log.error({ service: 'database', error }, 'A request for an extension could not be answered'),
      );
      return true;
    },
  };
}

function textsOf(error: unknown): { readonly message: string; readonly hint: string } {
  const { message } = error as Error;
  return { message, hint: error instanceof PackageError ? error.advice.join(' ') : '' };
}
