/** Hides the parts of a comparison that can contain passwords and keys from operators who can't see secrets. */
import type { DiffLine, Drift, DriftObject } from './contract.ts';

/** Function bodies and connection options can contain secrets. The kind is empty for changes without an object. */
const secretKinds: ReadonlySet<string> = new Set([
  '',
  'function',
  'procedure',
  'server',
  'foreign data wrapper',
  'foreign table',
  'subscription',
  'role',
]);

/** The arguments of a trigger, such as the headers of a webhook. */
const triggerArguments = /^(CREATE (?:CONSTRAINT )?TRIGGER .* EXECUTE FUNCTION [^(]+)\((?!\))(.*)$/;

/** Returns the comparison without statements, function bodies, connection options and trigger arguments. */
export const withoutSecrets = (drift: Drift): Drift => ({
  ...drift,
  problem: drift.problem === null ? null : '',
  sql: null,
  undo: null,
  objects: drift.objects.map((object) => ({
    ...object,
    sql: null,
    undo: null,
    lines: secretKinds.has(object.kind) ? null : maskedLines(object.lines),
  })),
});

function maskedLines(lines: DriftObject['lines']): DriftObject['lines'] {
  // Arguments with line breaks continue on lines that can't be recognized.
  const isLong = ({ text }: DiffLine): boolean => triggerArguments.exec(text)?.[2]?.endsWith(');') === false;
  if (lines === null || lines.some(isLong)) return null;
  return lines.map((line) => ({ ...line, text: line.text.replace(triggerArguments, '$1(…);') }));
}
