/**
 * Edits dates and times. The value is edited as text, so every format that PostgreSQL accepts and every digit can be
 * entered. The browser's date field and time field change only the date or the time in the text.
 */
import { type Ref, useState } from 'react';
import { t } from '../rows-text.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';
import { hasZone, kindOf } from './kinds.ts';
import {
  atZone,
  inZone,
  type Moment,
  now,
  parseDay,
  parseMoment,
  parseTime,
  printDay,
  printMoment,
  printOffset,
  printSeconds,
  printTime,
  type Zone,
} from './moments.ts';
import { LineEditor } from './text-editor.tsx';

export function TemporalEditor(props: EditorProps) {
  const kind = kindOf(props.column);
  return (
    <div className={classes.stack}>
      <LineEditor {...props} />
      {kind === 'date' ? (
        <DateParts {...props} />
      ) : kind === 'time' ? (
        <TimeParts {...props} />
      ) : (
        <MomentParts {...props} />
      )}
    </div>
  );
}

function DateParts({ column, draft, onChange }: EditorProps) {
  const day = parseDay(textOf(draft));
  return (
    <div className={classes.parts}>
      <Part
        type="date"
        label={t('temporal.date', { column: column.name })}
        value={day === undefined ? '' : printDay(day)}
        onChange={(value) => onChange({ value })}
      />
      <Action
        label={t('temporal.today')}
        onPick={() => onChange({ value: printDay(now('local', Date.now())) })}
      />
    </div>
  );
}

function TimeParts({ column, draft, onChange }: EditorProps) {
  const time = parseTime(textOf(draft));
  return (
    <div className={classes.parts}>
      <Part
        type="time"
        label={t('temporal.time', { column: column.name })}
        value={time === undefined ? '' : printSeconds(time)}
        onChange={(value) => {
          const clock = parseTime(value);
          if (clock === undefined) return;
          const offset = time?.offset === undefined ? '' : printOffset(time.offset);
          onChange({ value: printTime({ ...clock, fraction: time?.fraction ?? '' }) + offset });
        }}
      />
    </div>
  );
}

const zoneKey = 'plinth.zone';

/** Returns the name of the browser's time zone, such as `Europe/Berlin`. */
const localName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function MomentParts({ column, draft, onChange }: EditorProps) {
  const isInstant = hasZone(column.type);
  const [zone, setZone] = useState<Zone>(() => (localStorage.getItem(zoneKey) === 'local' ? 'local' : 'utc'));
  const stored = parseMoment(textOf(draft));
  const shown = stored === undefined || !isInstant ? stored : inZone(stored, zone);

  function set(part: Partial<Moment>): void {
    const base = shown ?? { ...now(zone, Date.now()), hour: 0, minute: 0, second: 0, fraction: '' };
    const next = { ...base, ...part };
    onChange({ value: printMoment(isInstant ? atZone(next, zone) : { ...next, offset: undefined }) });
  }

  return (
    <>
      <div className={classes.parts}>
        <Part
          type="date"
          label={t('temporal.date', { column: column.name })}
          value={shown === undefined ? '' : printDay(shown)}
          onChange={(value) => set(parseDay(value) ?? {})}
        />
        <Part
          type="time"
          label={t('temporal.time', { column: column.name })}
          value={shown === undefined ? '' : printSeconds(shown)}
          onChange={(value) => {
            const clock = parseTime(value);
            if (clock !== undefined) set({ hour: clock.hour, minute: clock.minute, second: clock.second });
          }}
        />
        {isInstant ? (
          <select
            className={classes.small}
            aria-label={t('temporal.zone', { column: column.name })}
            value={zone}
            onChange={(event) => {
              const next = event.currentTarget.value as Zone;
              localStorage.setItem(zoneKey, next);
              setZone(next);
            }}
          >
            <option value="utc">UTC</option>
            {localName() === 'UTC' ? null : <option value="local">{localName()}</option>}
          </select>
        ) : null}
        <Action
          label={t('temporal.now')}
          onPick={() => {
            const moment = now(isInstant ? zone : 'local', Date.now());
            onChange({ value: printMoment(isInstant ? moment : { ...moment, offset: undefined }) });
          }}
        />
      </div>
      {shown === undefined || (isInstant && localName() === 'UTC') ? null : (
        <p className={classes.hint}>{hintOf(shown, isInstant, zone)}</p>
      )}
    </>
  );
}

/** Returns a hint that names the time zone of the fields and shows the same instant in the other time zone. */
function hintOf(shown: Moment, isInstant: boolean, zone: Zone): string {
  if (!isInstant) return t('temporal.no-zone');
  const other = inZone(shown, zone === 'utc' ? 'local' : 'utc');
  return t('temporal.other', {
    moment: `${printDay(other)} ${printTime(other)}`,
    zone: zone === 'utc' ? `${localName()} (UTC${printOffset(other.offset ?? 0)})` : 'UTC',
  });
}

function Part({
  type,
  label,
  value,
  onChange,
  inputRef,
}: {
  type: 'date' | 'time';
  label: string;
  value: string;
  onChange: (value: string) => void;
  inputRef?: Ref<HTMLInputElement>;
}) {
  return (
    <input
      ref={inputRef}
      type={type}
      className={classes.small}
      aria-label={label}
      {...(type === 'time' ? { step: 1 } : { max: '9999-12-31' })}
      value={value}
      onChange={(event) => {
        // The browser's field doesn't have a value while a part of the date or time is missing.
        if (event.currentTarget.value !== '') onChange(event.currentTarget.value);
      }}
    />
  );
}

function Action({ label, onPick }: { label: string; onPick: () => void }) {
  return (
    <button type="button" className={classes.action} onClick={onPick}>
      {label}
    </button>
  );
}
