/**
 * The state that all nodes of a project share through an external database (docs/decisions/0101-group-state.md). The
 * database contains the current version of each state file, and the node's files are a copy.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Logger, silentLogger } from '../../base/kernel/log.ts';
import type { Pool, Queryable, WholeTransaction } from '../database/types.ts';
import { createCipher, type GroupCipher } from './cipher.ts';
import type { Recorded } from './decide.ts';
import { asGroupError } from './errors.ts';
import { isSame, LocalState, type StateFiles } from './local-state.ts';
import { announceChange, lockIdentity, readChange } from './queries.ts';
import { type Pulled, pull, push, type Sides } from './reconcile.ts';
import type { GroupState } from './types.ts';

export interface GroupStateOptions {
  /** The pool of the role that owns the tables. */
  readonly pool: Pool;
  readonly files: StateFiles;
  readonly secret: string;
  readonly salt: Buffer;
  readonly log?: Logger;
}

type Versions = ReadonlyMap<string, Recorded>;

export const channel = 'plinth_group';

/** The time for which a change waits for a change by another node. */
const lockTimeout = '10s';

export class SharedState implements Omit<GroupState, 'start' | 'stop' | 'view'> {
  readonly isShared = true;
  replacedAtStart: ReadonlySet<string> = new Set();
  readonly #pool: Pool;
  readonly #local: LocalState;
  readonly #log: Logger;
  readonly #sides: Sides;
  readonly #listeners: ((names: ReadonlySet<string>) => void)[] = [];
  /** The last change or copy, because only one of them runs at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** The change in which the code runs. */
  readonly #current = new AsyncLocalStorage<{ isRunning: boolean }>();
  #seenChange: string | undefined;
  /** The stamps of the files after the last change or copy. */
  #stamps = '';

  constructor({ pool, files, secret, salt, log = silentLogger }: GroupStateOptions) {
    this.#pool = pool;
    this.#local = new LocalState(files);
    this.#log = log.child({ service: 'group' });
    const cipher: GroupCipher = createCipher(secret, salt);
    this.#sides = { local: this.#local, cipher, log: this.#log };
  }

  /**
   * Copies the state in a transaction that has locked it, creates the missing files and stores them. The returned
   * function must be called after the commit.
   */
  async join(tx: Queryable, createMissing: () => void | Promise<void>): Promise<() => void> {
    const { replaced } = await pull(tx, this.#sides);
    await createMissing();
    const pushed = await this.#pushUnstored(tx);
    return () => {
      this.#finish(pushed);
      this.replacedAtStart = replaced;
    };
  }

  onReplaced(listener: (names: ReadonlySet<string>) => void): void {
    this.#listeners.push(listener);
  }

  change<T>(work: () => T | Promise<T>): Promise<T> {
    // Work that is part of a change is stored together with this change.
    if (this.#current.getStore()?.isRunning === true) return Promise.try(work);
    return this.#alone(() => {
      const current = { isRunning: true };
      return this.#current
        .run(current, () => this.#change(work))
        .finally(() => {
          current.isRunning = false;
        });
    });
  }

  async #change<T>(work: () => T | Promise<T>): Promise<T> {
    const before = new Map<string, Buffer | undefined>();
    let failure: { readonly error: unknown } | undefined;
    try {
      const { result, pushed } = await this.#locked(async (tx) => {
        const pulled = await this.#pull(tx);
        for (const name of this.#local.names()) before.set(name, this.#local.read(name));
        let made: T;
        try {
          made = await work();
        } catch (error) {
          failure = { error };
          throw error;
        }
        const changed = new Set([...pulled.unstored, ...this.#changedSince(before)]);
        const next = await push(tx, this.#sides, { names: [...changed], stored: pulled.stored });
        if (next.size > 0) await announceChange(tx, channel);
        return { result: made, pushed: next };
      });
      this.#finish(pushed);
      return result;
    } catch (error) {
      this.#restore(before);
      if (failure !== undefined) throw failure.error;
      this.#log.warn({ error }, "a change wasn't stored for all nodes, so it was undone");
      throw asGroupError(error);
    }
  }

  #changedSince(before: ReadonlyMap<string, Buffer | undefined>): string[] {
    const names = new Set([...before.keys(), ...this.#local.names()]);
    return [...names].filter((name) => !isSame(before.get(name), this.#local.read(name)));
  }

  #restore(before: ReadonlyMap<string, Buffer | undefined>): void {
    if (before.size === 0) return;
    const changed = this.#changedSince(before);
    for (const name of changed) this.#local.write(name, before.get(name));
    this.#tell(new Set(changed));
  }

  /** Whether files were changed by another process, such as a command, since the last change or copy. */
  hasChangedFiles(): boolean {
    return this.#readStamps() !== this.#stamps;
  }

  /** Copies newer versions from the database, and stores the files that other processes have changed. */
  sync(): Promise<void> {
    return this.#alone(async () => {
      const change = await readChange(this.#pool);
      if (change === this.#seenChange && !this.hasChangedFiles()) return;
      const stamps = this.#readStamps();
      // The copied versions must belong together, because a file can refer to other rows.
      const { unstored, replaced } = await this.#pool.transaction((tx) => this.#pull(tx), {
        readOnly: true,
        isolation: 'repeatable read',
      });
      if (unstored.length > 0) this.#finish(await this.#locked((tx) => this.#pushUnstored(tx)));
      // A file that changed while it was compared is compared again.
      else this.#stamps = replaced.size > 0 ? '' : stamps;
      this.#seenChange = change;
    });
  }

  async #pull(db: Queryable): Promise<Pulled> {
    const pulled = await pull(db, this.#sides);
    this.#tell(pulled.replaced);
    return pulled;
  }

  /** Stores the files that have changed on this node only. Returns the new versions. */
  async #pushUnstored(tx: Queryable): Promise<Versions> {
    const { unstored, stored } = await this.#pull(tx);
    const pushed = await push(tx, this.#sides, { names: unstored, stored });
    if (pushed.size > 0) await announceChange(tx, channel);
    return pushed;
  }

  #finish(pushed: Versions): void {
    this.#local.record(pushed);
    // A file may have changed since it was read, so the next copy compares all files again.
    this.#stamps = '';
  }

  #readStamps(): string {
    return this.#local
      .names()
      .map((name) => `${name} ${this.#local.stamp(name)}`)
      .join('\n');
  }

  async #locked<T>(work: (tx: WholeTransaction) => Promise<T>): Promise<T> {
    return await this.#pool.transaction(
      async (tx) => {
        if ((await lockIdentity(tx)) === undefined) throw new Error('_plinth.group_identity is empty');
        return await work(tx);
      },
      { settings: [['lock_timeout', lockTimeout]] },
    );
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.catch(() => undefined).then(work);
    this.#last = next;
    return next;
  }

  #tell(names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(names);
      } catch (error) {
        this.#log.error({ files: [...names], error }, 'the changed files of another node were not applied');
      }
    }
  }

  /** Waits until the current change or copy has ended. */
  async settled(): Promise<void> {
    await this.#last.catch(() => undefined);
  }
}
