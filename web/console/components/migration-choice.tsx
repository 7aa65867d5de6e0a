/** Lets the operator save a change to the database as a migration file. */
import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addMessages, textOf } from '../../lib/i18n.ts';
import { messages } from '../../locales/en/console-migration.ts';
import classes from './dialog.module.css';

addMessages('en', messages);
const t = textOf<keyof typeof messages>();

/** Whether changes are also saved as migration files. The choice is kept until the page is reloaded. */
let keepsMigrations = false;

export interface MigrationChoice {
  readonly asFile: boolean;
  readonly name: string;
  readonly setAsFile: (asFile: boolean) => void;
  readonly setName: (name: string) => void;
  /** Whether the name is valid or no name is required. */
  readonly isReady: boolean;
  /** The part of the request body that saves the migration. */
  readonly body: { readonly migration?: string };
}

/**
 * Returns the operator's choice of whether and under which name to save a migration.
 * @example const migration = useMigrationChoice('create_notes');
 */
export function useMigrationChoice(suggested: string): MigrationChoice {
  const [asFile, setFile] = useState(keepsMigrations);
  // The suggestion changes with the form until the operator enters a name.
  const [typed, setName] = useState<string>();
  const name = typed ?? suggested;
  return {
    asFile,
    name,
    setName,
    setAsFile(next) {
      keepsMigrations = next;
      setFile(next);
    },
    isReady: !asFile || /^[a-z0-9_]{1,100}$/.test(name),
    body: asFile ? { migration: name } : {},
  };
}

export function MigrationFields({ choice }: { choice: MigrationChoice }) {
  const { asFile, name, isReady, setAsFile, setName } = choice;
  return (
    <div className={classes.form}>
      <Checkbox
        label={t('migration.save')}
        description={t('migration.why')}
        checked={asFile}
        onChange={(event) => setAsFile(event.currentTarget.checked)}
      />
      {asFile ? (
        <TextInput
          size="sm"
          label={t('migration.name')}
          value={name}
          error={isReady ? undefined : t('migration.bad')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      ) : null}
    </div>
  );
}

/** Returns a migration name that consists of these words. */
export const migrationName = (...words: readonly string[]): string =>
  words
    .join('_')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100) || 'change';
