/** Italian translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'Chiavi API',
  'api-key.intro':
    'Una chiave permette a uno script o a un programma di accedere ai tuoi dati. Chiunque abbia la chiave può usarla, quindi tienila segreta.',
  'api-key.none': 'Ancora nessuna chiave API',
  'api-key.guest': 'Gli ospiti non possono creare chiavi API. Prima salva il tuo account.',
  'api-key.create': 'Crea chiave API',
  'api-key.name': 'Nome',
  'api-key.name-hint': 'Per esempio, il nome del programma che userà la chiave.',
  'api-key.name-missing': 'Inserisci un nome.',
  'api-key.lifetime': 'Validità',
  'api-key.scopes': 'Autorizzazioni',
  'api-key.submit': 'Crea chiave',
  'api-key.too-many': 'Hai raggiunto il numero massimo di chiavi API. Revoca una chiave che non usi più.',
  'api-key.shown-once': 'Copia questa chiave e salvala in un luogo sicuro. Non verrà più mostrata.',
  'api-key.key': 'chiave API',
  'api-key.kept': 'Ho salvato questa chiave',
  'api-key.created': 'Creata: {when}',
  'api-key.expires': 'Scade: {when}',
  'api-key.expired': 'Scaduta: {when}',
  'api-key.unused': 'Non ancora usata',
  'api-key.revoke': 'Revoca',
  'api-key.revoke-what': 'Revoca {name}',
  'api-key.revoke-ask':
    'Revocare {name}? I programmi che usano questa chiave perderanno l’accesso in pochi secondi.',
  'api-key.revoked': '{name} è stata revocata. I programmi non possono più usare questa chiave.',
};
