/** Spanish translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'Claves de API',
  'api-key.intro':
    'Una clave permite que un script o programa acceda a tus datos. Cualquiera que tenga la clave puede usarla, así que mantenla en secreto.',
  'api-key.none': 'Aún no hay claves de API',
  'api-key.guest': 'Los invitados no pueden crear claves de API. Guarda primero tu cuenta.',
  'api-key.create': 'Crear clave de API',
  'api-key.name': 'Nombre',
  'api-key.name-hint': 'Por ejemplo, el nombre del programa que usará la clave.',
  'api-key.name-missing': 'Introduce un nombre.',
  'api-key.lifetime': 'Validez',
  'api-key.scopes': 'Permisos',
  'api-key.submit': 'Crear clave',
  'api-key.too-many': 'Has alcanzado el número máximo de claves de API. Revoca una clave que ya no uses.',
  'api-key.shown-once': 'Copia esta clave y guárdala en un lugar seguro. No se volverá a mostrar.',
  'api-key.key': 'clave de API',
  'api-key.kept': 'He guardado esta clave',
  'api-key.created': 'Creada: {when}',
  'api-key.expires': 'Caduca: {when}',
  'api-key.expired': 'Caducó: {when}',
  'api-key.unused': 'Aún sin usar',
  'api-key.revoke': 'Revocar',
  'api-key.revoke-what': 'Revocar {name}',
  'api-key.revoke-ask':
    '¿Revocar {name}? Los programas que usan esta clave perderán el acceso en unos segundos.',
  'api-key.revoked': 'Se ha revocado {name}. Los programas ya no pueden usar esta clave.',
};
