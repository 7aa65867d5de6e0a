import { useState } from 'react';
import { describedBy } from '../ui/described-by.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { useEarlyText } from './early.ts';
import { PasswordRules } from './password-rules.tsx';

const rulesId = 'password-rules';

/** A required field for a new password, with the project's password rules below it. */
export function NewPasswordField({
  id,
  label,
  error,
}: {
  id: string;
  label: string;
  error: string | undefined;
}) {
  const [password, setPassword] = useState('');
  useEarlyText(id, setPassword);
  return (
    <>
      <PasswordField
        id={id}
        name="password"
        size="md"
        label={label}
        autoComplete="new-password"
        {...describedBy(rulesId)}
        required
        withAsterisk={false}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={error}
        aria-invalid={error !== undefined}
      />
      <PasswordRules id={rulesId} password={password} />
    </>
  );
}
