import { useEffect, useState } from 'react';
import { describedBy } from '../../ui/described-by.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { useEarlyText } from '../early.ts';
import { usePageConfig } from '../page-config.ts';
import { isGoodPassword } from './fields.ts';
import { PasswordRules } from './password-rules.tsx';

const rulesId = 'password-rules';

/** A required field for a new password, with the project's password rules below it. */
export function NewPasswordField({
  id,
  label,
  error,
  isFirst = false,
}: {
  id: string;
  label: string;
  error: string | undefined;
  /** Whether the page focuses this field, unless an earlier field is empty. */
  isFirst?: boolean;
}) {
  const { password: policy } = usePageConfig();
  const [password, setPassword] = useState('');
  useEarlyText(id, setPassword);
  const [rejected, setRejected] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect stores the password that caused the error
  useEffect(() => {
    if (error !== undefined) setRejected(password);
  }, [error]);
  // The error message disappears once the user has typed a different password that meets the rules.
  const isCorrected = password !== rejected && isGoodPassword(password, policy);
  const shown = isCorrected ? undefined : error;
  return (
    <>
      <PasswordField
        id={id}
        name="password"
        size="md"
        label={label}
        autoComplete="new-password"
        {...describedBy(rulesId)}
        {...(isFirst ? { 'data-first': true } : {})}
        required
        withAsterisk={false}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={shown}
        aria-invalid={shown !== undefined}
      />
      <PasswordRules id={rulesId} password={password} />
    </>
  );
}
