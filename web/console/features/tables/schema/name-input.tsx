import { TextInput } from '@mantine/core';

/** The first and required field of a panel, for an identifier or an enum value. */
export function NameInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      size="sm"
      label={label}
      value={value}
      required
      spellCheck={false}
      autoComplete="off"
      data-autofocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
