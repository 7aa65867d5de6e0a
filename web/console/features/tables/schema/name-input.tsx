import { TextInput } from '@mantine/core';

/** The first field of a panel, which is required: an identifier, or the value of an enum. */
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
