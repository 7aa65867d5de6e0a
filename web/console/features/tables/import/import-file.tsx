/** Fields for a file and its delimiter. */
import { useId, useState } from 'react';
import { t } from '../text.ts';
import classes from './import-panel.module.css';
import { likelyDelimiter } from './likely-delimiter.ts';

/** The columns are detected from this many bytes at the beginning of the file. */
export const headBytes = 65_536;

const delimiters = [
  [',', 'import.comma'],
  [';', 'import.semicolon'],
  ['\t', 'import.tab'],
  ['|', 'import.pipe'],
] as const;
type Delimiter = (typeof delimiters)[number][0];

export interface ImportFile {
  readonly file: File | undefined;
  readonly format: 'csv' | 'json';
  readonly delimiter: Delimiter;
  readonly setDelimiter: (delimiter: Delimiter) => void;
  readonly choose: (file: File | undefined) => Promise<void>;
  /** A key for queries that depend on the file. */
  readonly key: readonly unknown[];
}

export function useImportFile(): ImportFile {
  const [file, setFile] = useState<File>();
  const [delimiter, setDelimiter] = useState<Delimiter>(',');
  return {
    file,
    format: file !== undefined && /\.(json|jsonl|ndjson)$/i.test(file.name) ? 'json' : 'csv',
    delimiter,
    setDelimiter,
    async choose(chosen) {
      if (chosen !== undefined) setDelimiter(likelyDelimiter(await chosen.slice(0, headBytes).text()));
      setFile(chosen);
    },
    key: [file?.name, file?.lastModified, file?.size, delimiter],
  };
}

export function FileFields({
  source,
  startsFocused = false,
  onChange,
}: {
  source: ImportFile;
  /** Whether the file field receives focus when it appears, for example in a panel that opens. */
  startsFocused?: boolean;
  onChange: () => void;
}) {
  const id = useId();
  return (
    <>
      <div className={classes.field}>
        <label htmlFor={`${id}-file`}>{t('import.file')}</label>
        <input
          id={`${id}-file`}
          type="file"
          // biome-ignore lint/a11y/noAutofocus: only if the operator has opened the panel
          autoFocus={startsFocused}
          data-autofocus={startsFocused || undefined}
          accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json"
          aria-describedby={`${id}-why`}
          className={classes.file}
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            onChange();
            void source.choose(chosen);
          }}
        />
        <p id={`${id}-why`} className={classes.why}>
          {t('import.file-why')}
        </p>
      </div>
      {source.file !== undefined && source.format === 'csv' ? (
        <div className={classes.field}>
          <label htmlFor={`${id}-delimiter`}>{t('import.delimiter')}</label>
          <select
            id={`${id}-delimiter`}
            className={classes.select}
            value={source.delimiter}
            onChange={(event) => {
              onChange();
              source.setDelimiter(event.currentTarget.value as Delimiter);
            }}
          >
            {delimiters.map(([value, label]) => (
              <option key={value} value={value}>
                {t(label)}
              </option>
            ))}
          </select>
        </div>
      ) : null}
    </>
  );
}

/** Returns the first value of a file's column, shortened. */
export function exampleOf(sample: readonly Readonly<Record<string, unknown>>[], column: string): string {
  const value = sample.map((row) => row[column]).find((each) => each !== null && each !== undefined);
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 60);
}
