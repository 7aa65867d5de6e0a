/**
 * Writes secrets to `supabase/.env` when owners enter them. The settings file then contains only the name of the
 * variable, so it can be committed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreFiles, isInGit } from '../../../base/kernel/replace-file.ts';
import { ConfigError, maskDotenv, noticeText, setDotenv } from '../../../platform/config/index.ts';
import { ConsoleError } from '../errors.ts';
import type { Change, SettingsFiles } from './files.ts';
import { envReference, settingOf } from './known.ts';
import { createSecretNames, secretsFile } from './secret-names.ts';
import { readIfFile, writeFile } from './write-files.ts';

/**
 * The new text of `supabase/.env`, and the variables that have changed. Variables with the value undefined are removed.
 */
export interface SecretsEdit {
  readonly before: string;
  readonly text: string;
  readonly variables: ReadonlyMap<string, string | undefined>;
}

export interface SecretFiles {
  /**
   * Replaces secrets in the changes with references to variables. The edit is undefined if none of the variables
   * change.
   * @throws {ConsoleError} bad_request
   */
  extract(changes: readonly Change[]): { readonly changes: Change[]; readonly edit: SecretsEdit | undefined };
  /**
   * Writes `supabase/.env` and makes Git ignore it. Returns a function that restores the file.
   * @throws {ConsoleError} refused
   */
  write(edit: SecretsEdit): () => void;
}

export function createSecretFiles(supabaseDir: string, files: SettingsFiles): SecretFiles {
  const path = join(supabaseDir, secretsFile);

  return {
    extract(changes) {
      const isSecret = (change: Change): boolean =>
        settingOf(change)?.type === 'secret' &&
        change.value !== '' &&
        !envReference.test(String(change.value));
      if (!changes.some(isSecret)) return { changes: [...changes], edit: undefined };
      const before = readIfFile(path) ?? '';
      try {
        const names = createSecretNames(files, changes, before);
        const variables = new Map<string, string | undefined>();
        const extracted = changes.map((change): Change => {
          if (!isSecret(change)) return change;
          const { value } = change;
          if (value === null) {
            const unneeded = names.unneeded(change);
            if (unneeded !== undefined) variables.set(unneeded, undefined);
            return change;
          }
          const name = names.assign(change);
          variables.set(name, String(value));
          return { ...change, value: `env(${name})` };
        });
        if (variables.size === 0) return { changes: extracted, edit: undefined };
        let text = before;
        for (const [name, value] of variables) text = setDotenv(text, secretsFile, name, value);
        return { changes: extracted, edit: { before, text, variables } };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new ConsoleError('bad_request', { message: error.faults.map(noticeText).join('\n') });
      }
    },
    write({ text, variables }) {
      try {
        mkdirSync(supabaseDir, { recursive: true });
        if (isInGit(supabaseDir)) ignoreFiles(supabaseDir, [secretsFile]);
        return writeFile(path, text, 0o600);
      } catch (error) {
        throw new ConsoleError(
          'refused',
          {
            message: `supabase/.env can't be written: ${(error as Error).message}`,
            hint: `Set ${[...variables.keys()].join(' and ')} in the server's environment, and refer to it with env() here.`,
          },
          { cause: error },
        );
      }
    },
  };
}

/** Returns the new texts of the changed files, including `supabase/.env`. */
export const withSecrets = (
  texts: Readonly<Record<string, string>>,
  edit: SecretsEdit | undefined,
): Readonly<Record<string, string>> => (edit === undefined ? texts : { ...texts, [secretsFile]: edit.text });

/**
 * Checks that the values in `supabase/.env` take effect.
 *
 * @throws {ConsoleError} refused if the server would use a different value
 */
export function requireEffect(
  edit: SecretsEdit | undefined,
  environment: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of edit?.variables ?? [])
    if (value !== undefined && environment[name] !== value)
      throw new ConsoleError('refused', {
        message: `The environment of the server or another .env file already sets ${name}, so a value in supabase/.env would have no effect.`,
        hint: `Change ${name} there.`,
      });
}

/** Returns the texts before and after the edit, with the values masked. The masks show which values have changed. */
export function maskedSecrets({ before, text, variables }: SecretsEdit): [before: string, after: string] {
  const hidden = "'••••••'";
  return [
    maskDotenv(before, secretsFile, () => hidden),
    maskDotenv(text, secretsFile, (key) => (variables.has(key) ? "'•••••• (new value)'" : hidden)),
  ];
}
