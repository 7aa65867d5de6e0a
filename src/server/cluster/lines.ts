/** Converts log fields to text and back. Error objects keep their type, stack and properties. Has no side effects. */
import type { LogFields } from '../../base/kernel/log.ts';
import { isRecord } from '../../base/shared/json.ts';

const errorMark = '$error';

export function packFields(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_key, value: unknown) => {
      if (value instanceof Error) return { [errorMark]: propertiesOf(value) };
      return typeof value === 'bigint' ? String(value) : value;
    });
  } catch (error) {
    // JSON.stringify can't serialize circular references.
    return JSON.stringify({ unprintable: String(error) });
  }
}

export function unpackFields(text: string): LogFields {
  return JSON.parse(text, (_key, value: unknown) => {
    if (!isRecord(value)) return value;
    const error = value[errorMark];
    return isRecord(error) ? Object.assign(new Error(String(error.message)), error) : value;
  }) as LogFields;
}

function propertiesOf(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { ...error, name, message, stack, ...(cause === undefined ? {} : { cause }) };
}
