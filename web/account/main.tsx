import './styles.ts';
import { Button, TextInput } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { activateLocale, addMessages } from '../lib/i18n.ts';
import { messages } from '../locales/en/shared.ts';
import { ErrorSummary } from '../ui/error-summary.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { UiProvider } from '../ui/provider.tsx';
import { SchemeSwitch } from '../ui/scheme-switch.tsx';

addMessages('en', messages);
activateLocale('en');
createRoot(document.getElementById('root') as HTMLElement).render(
  <UiProvider>
    <SchemeSwitch />
    <ErrorSummary problems={[]} />
    <TextInput label="x" />
    <PasswordField label="y" />
    <Button>z</Button>
  </UiProvider>,
);
