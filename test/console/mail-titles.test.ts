/** Tests that the settings have a title for every email. */
import { expect, test } from 'vitest';
import { templateNames } from '../../src/services/auth/messages/texts/mails.ts';
import { mailTitle } from '../../web/console/features/settings/mail-names.ts';

test('no email is listed under its technical name', () => {
  expect(templateNames.filter((name) => mailTitle(name) === name)).toEqual([]);
});
