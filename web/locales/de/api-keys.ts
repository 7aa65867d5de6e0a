/** German translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'API-Schlüssel',
  'api-key.intro':
    'Mit einem Schlüssel kann ein Skript oder Programm auf Ihre Daten zugreifen. Wer den Schlüssel hat, kann ihn verwenden. Halten Sie ihn deshalb geheim.',
  'api-key.none': 'Noch keine API-Schlüssel',
  'api-key.guest': 'Gäste können keine API-Schlüssel erstellen. Sichern Sie zuerst Ihr Konto.',
  'api-key.create': 'API-Schlüssel erstellen',
  'api-key.name': 'Bezeichnung',
  'api-key.name-hint': 'Zum Beispiel der Name des Programms, das den Schlüssel verwendet.',
  'api-key.name-missing': 'Geben Sie eine Bezeichnung ein.',
  'api-key.lifetime': 'Gültig für',
  'api-key.scopes': 'Berechtigungen',
  'api-key.submit': 'Schlüssel erstellen',
  'api-key.too-many':
    'Sie haben die Höchstzahl an API-Schlüsseln erreicht. Widerrufen Sie einen Schlüssel, den Sie nicht mehr verwenden.',
  'api-key.shown-once':
    'Kopieren Sie diesen Schlüssel und bewahren Sie ihn an einem sicheren Ort auf. Er wird nicht noch einmal angezeigt.',
  'api-key.key': 'API-Schlüssel',
  'api-key.kept': 'Ich habe diesen Schlüssel gespeichert',
  'api-key.created': 'Erstellt: {when}',
  'api-key.expires': 'Läuft ab: {when}',
  'api-key.expired': 'Abgelaufen: {when}',
  'api-key.unused': 'Noch nicht verwendet',
  'api-key.revoke': 'Widerrufen',
  'api-key.revoke-what': '{name} widerrufen',
  'api-key.revoke-ask':
    '{name} widerrufen? Programme, die diesen Schlüssel verwenden, verlieren innerhalb von Sekunden den Zugriff.',
  'api-key.revoked': '{name} wurde widerrufen. Programme können diesen Schlüssel nicht mehr verwenden.',
};
