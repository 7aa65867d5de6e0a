/** Converts settings in config.toml to fields in the hosted service's format, and the fields to settings. */
import type { PushedValue } from './pushed-settings.ts';

export interface HostedFormat {
  /** Converts the value of a loaded setting to the field's value. Returns undefined if the setting has no value. */
  readonly read: (value: unknown) => unknown;
  /**
   * Converts the field's value to the value in config.toml. Returns undefined if the field's value is invalid or the
   * field can't be changed through the API.
   */
  readonly write: (field: unknown) => PushedValue | undefined;
}

export interface HostedSetting extends HostedFormat {
  readonly path: readonly string[];
}

const ofType = (type: 'string' | 'number' | 'boolean'): HostedFormat => ({
  read: (value) => value,
  write: (field) => (typeof field === type ? (field as PushedValue) : undefined),
});
export const text = ofType('string');
export const number = ofType('number');
export const flag = ofType('boolean');

/** The HTML of an email template. Null and an empty text stand for the default template. */
export const html: HostedFormat = {
  read: (value) => value,
  write: (field) => (field === null ? '' : text.write(field)),
};

export const inverted: HostedFormat = {
  read: (value) => value !== true,
  write: (field) => (typeof field === 'boolean' ? !field : undefined),
};

/** A comma-separated list. */
export const list: HostedFormat = {
  read: (value) => (value as readonly string[]).join(','),
  write: (field) =>
    typeof field === 'string' ? field.split(',').flatMap((each) => each.trim() || []) : undefined,
};

const durationIn = (unitMs: number): HostedFormat => ({
  read: (value) => (typeof value === 'number' ? value / unitMs : undefined),
  write: (field) => (typeof field === 'number' ? `${Math.round((field * unitMs) / 1000)}s` : undefined),
});
export const seconds = durationIn(1000);
export const hours = durationIn(3_600_000);

/** Returns the format of a setting whose values have different names in the hosted format. */
export const named = (fieldOf: Readonly<Record<string, string>>): HostedFormat => ({
  read: (value) => fieldOf[String(value)],
  write: (field) => Object.keys(fieldOf).find((name) => fieldOf[name] === field),
});

/** Returns the format of a setting that is read-only in the hosted format. */
export const shown = (read: HostedFormat['read'] = (value) => value): HostedFormat => ({
  read,
  write: () => undefined,
});

export const at = (path: string, format: HostedFormat): HostedSetting => ({
  path: path.split('.'),
  ...format,
});
