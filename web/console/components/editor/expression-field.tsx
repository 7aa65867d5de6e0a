/** A form's field for a SQL expression, with completion of columns and functions. */
import { Input } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useId } from 'react';
import { namesQuery } from '../../api/queries.ts';
import { SkeletonLines } from '../frame/skeleton.tsx';
import { lazyPart } from '../lazy-part.ts';
import classes from './expression-field.module.css';
import type { OwnTable } from './types.ts';

const SqlEditor = lazyPart(() => import('./sql-editor.tsx'));

export function ExpressionField({
  label,
  description,
  placeholder,
  error,
  value,
  own,
  lines = 1,
  required = false,
  autoFocus = false,
  onChange,
}: {
  label: string;
  description?: string;
  placeholder?: string;
  error?: string | undefined;
  value: string;
  /** The table whose columns the expression can use. */
  own?: OwnTable;
  /** The height. In a field with several lines, Enter starts a line. */
  lines?: number;
  required?: boolean;
  autoFocus?: boolean;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const { data: names } = useQuery(namesQuery);
  const isDescribed = description !== undefined || error !== undefined;
  return (
    <div>
      {/* The editor isn't a form control that a label element could refer to, so its name is set separately. */}
      <Input.Label labelElement="div" size="sm" required={required}>
        {label}
      </Input.Label>
      <div
        className={classes.field}
        data-invalid={error === undefined ? undefined : true}
        style={{ minHeight: `${lines * 1.55 * 0.8125 + 0.875}rem` }}
      >
        <Suspense fallback={<SkeletonLines lines={lines} />}>
          <SqlEditor
            value={value}
            label={label}
            names={names}
            own={own}
            isField={lines === 1}
            isRequired={required}
            autoFocus={autoFocus}
            hint={placeholder}
            describedBy={isDescribed ? id : undefined}
            onChange={onChange}
          />
        </Suspense>
      </div>
      <div id={id}>
        {description === undefined ? null : <Input.Description size="sm">{description}</Input.Description>}
        {error === undefined ? null : <Input.Error size="sm">{error}</Input.Error>}
      </div>
    </div>
  );
}
