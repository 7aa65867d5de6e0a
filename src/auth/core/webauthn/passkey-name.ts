/**
 * Returns the default name of a passkey, which is the authenticator's model. aaguids.json contains the names from the
 * community's list (github.com/passkeydeveloper/passkey-authenticator-aaguids), which GoTrue 2.196 also includes.
 */
const noModel = '00000000-0000-0000-0000-000000000000';
const unnamed = 'Passkey';

export async function passkeyName(aaguid: string): Promise<string> {
  if (aaguid === noModel) return unnamed;
  const { default: models } = await import('./aaguids.json', { with: { type: 'json' } });
  const names: Readonly<Record<string, string>> = models;
  return (Object.hasOwn(names, aaguid) ? names[aaguid] : undefined) ?? unnamed;
}
