/**
 * A select whose entries can be searched if there are many, because a native select finds an entry only by its first
 * letters. A short list is a native select, which needs fewer presses on a phone.
 */
import { NativeSelect, Select } from '@mantine/core';
import '@mantine/core/styles/Combobox.layer.css';
import { useState } from 'react';
import { t } from '../text.ts';
import { usePopupLayer } from './keyboard/modal-layer.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Props {
  readonly label: string;
  /** Whether only screen readers get the label, because it is clear from the context. */
  readonly isLabelHidden?: boolean;
  readonly description?: string;
  /** The text while nothing is chosen and the value is therefore empty. */
  readonly placeholder?: string;
  readonly value: string;
  readonly data: readonly (string | Choice)[];
  readonly onChange: (value: string) => void;
  readonly size?: 'xs' | 'sm';
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly isFocused?: boolean;
}

const maxNative = 15;

export function SearchSelect({ data, ...props }: Props) {
  const choices = data.map((each) => (typeof each === 'string' ? { value: each, label: each } : each));
  return choices.length <= maxNative ? (
    <ShortSelect {...props} choices={choices} />
  ) : (
    <LongSelect {...props} choices={choices} />
  );
}

type SelectProps = Omit<Props, 'data'> & { readonly choices: readonly Choice[] };

function fieldProps({
  label,
  isLabelHidden = false,
  description,
  value,
  size = 'sm',
  required = false,
  disabled = false,
  isFocused = false,
}: SelectProps) {
  return {
    ...(isLabelHidden ? { 'aria-label': label } : { label }),
    ...(description === undefined ? {} : { description }),
    ...(isFocused ? { 'data-autofocus': true } : {}),
    value,
    size,
    required,
    disabled,
  };
}

function ShortSelect(props: SelectProps) {
  return (
    <NativeSelect
      {...fieldProps(props)}
      data={[
        ...(props.placeholder === undefined ? [] : [{ value: '', label: props.placeholder }]),
        ...props.choices,
      ]}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

function LongSelect(props: SelectProps) {
  const [isOpen, setOpen] = useState(false);
  usePopupLayer(isOpen);
  return (
    <Select
      {...fieldProps(props)}
      {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
      data={[...props.choices]}
      searchable
      openOnFocus={false}
      allowDeselect={false}
      maxDropdownHeight={280}
      nothingFoundMessage={t('select.none')}
      // The field contains the chosen entry, which the first typed letter should replace.
      onFocus={(event) => event.currentTarget.select()}
      onClick={(event) => event.currentTarget.select()}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onChange={(value) => {
        if (value !== null) props.onChange(value);
      }}
    />
  );
}
