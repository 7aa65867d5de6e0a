import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import list from './list.module.css';

/**
 * A search field. If `toolbar` is set, the field's width fits a page's header. Otherwise, the surrounding layout sets
 * the width.
 */
export function SearchInput({
  label,
  value,
  onChange,
  onEnter,
  width,
  className,
  Icon = IconSearch,
  autoComplete,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
  width?: 'toolbar';
  className?: string | undefined;
  Icon?: typeof IconSearch;
  autoComplete?: 'off';
}) {
  return (
    <TextInput
      className={width === 'toolbar' ? list.search : className}
      size="xs"
      type="search"
      leftSection={<Icon size={14} aria-hidden />}
      placeholder={label}
      aria-label={label}
      value={value}
      autoComplete={autoComplete}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter?.();
      }}
    />
  );
}
