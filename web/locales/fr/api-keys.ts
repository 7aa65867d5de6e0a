/** French translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'Clés d’API',
  'api-key.intro':
    'Une clé permet à un script ou à un programme d’accéder à vos données. Toute personne qui possède la clé peut l’utiliser\u00a0: gardez-la secrète.',
  'api-key.none': 'Aucune clé d’API pour l’instant',
  'api-key.guest': 'Les invités ne peuvent pas créer de clé d’API. Enregistrez d’abord votre compte.',
  'api-key.create': 'Créer une clé d’API',
  'api-key.name': 'Nom',
  'api-key.name-hint': 'Par exemple, le nom du programme qui utilisera la clé.',
  'api-key.name-missing': 'Saisissez un nom.',
  'api-key.lifetime': 'Durée de validité',
  'api-key.scopes': 'Autorisations',
  'api-key.submit': 'Créer la clé',
  'api-key.too-many':
    'Vous avez atteint le nombre maximal de clés d’API. Révoquez une clé que vous n’utilisez plus.',
  'api-key.shown-once': 'Copiez cette clé et conservez-la en lieu sûr. Elle ne sera plus affichée.',
  'api-key.key': 'clé d’API',
  'api-key.kept': 'J’ai enregistré cette clé',
  'api-key.created': 'Création\u00a0: {when}',
  'api-key.expires': 'Expiration\u00a0: {when}',
  'api-key.expired': 'Expirée\u00a0: {when}',
  'api-key.unused': 'Pas encore utilisée',
  'api-key.revoke': 'Révoquer',
  'api-key.revoke-what': 'Révoquer {name}',
  'api-key.revoke-ask':
    'Révoquer {name}\u202f? Les programmes qui utilisent cette clé perdront l’accès en quelques secondes.',
  'api-key.revoked': 'La clé {name} a été révoquée. Les programmes ne peuvent plus l’utiliser.',
};
