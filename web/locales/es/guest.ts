export const messages = {
  'guest.intro':
    'No necesitas una cuenta. Puedes acceder a tus datos en este navegador hasta que cierres sesión. Para conservarlos después, añade una forma de iniciar sesión.',
  'guest.off': 'Las cuentas de invitado están desactivadas. Inicia sesión o crea una cuenta.',

  'guest.leave-title': '¿Cerrar sesión en tu cuenta de invitado?',
  'guest.leave-text':
    'No se puede volver a iniciar sesión en una cuenta de invitado. Si cierras sesión, perderás todo lo que tienes aquí.',
  'guest.leave': 'Cerrar sesión y perder mis datos',
  'guest.leave-cancel': 'Cancelar',

  'upgrade.intro':
    'Estás usando una cuenta de invitado. Elige cómo quieres iniciar sesión. Conservarás todo lo que tienes aquí.',
  'upgrade.submit': 'Guardar mi cuenta',
  'upgrade.by-code': 'Enviarme un código por correo',
  'upgrade.none': 'Las cuentas de invitado no se pueden guardar aquí. Contacta con soporte.',
  'upgrade.sent':
    'Hemos enviado un código de {length} dígitos a {email}. Introdúcelo aquí o abre el enlace del correo. Hasta entonces, seguirás como invitado.',
  'upgrade.if-yours': 'Si esta dirección es tuya, inicia sesión en tu cuenta abajo.',
  'upgrade.taken': 'Otra cuenta ya usa ese correo electrónico. Si es tuya, inicia sesión en ella abajo.',
  'upgrade.have': '¿Ya tienes una cuenta?',
  'upgrade.with-hook':
    'Inicia sesión en ella y transfiere tus datos de invitado. Te preguntaremos antes de transferir nada.',
  'upgrade.without-hook':
    'Tus datos de invitado no se pueden transferir a otra cuenta. Si inicias sesión en otra cuenta, perderás el acceso a ellos.',
  'upgrade.elsewhere': 'Iniciar sesión en mi cuenta',
  'upgrade.leave': 'Iniciar sesión sin tus datos de invitado',
  'upgrade.done': 'Tus datos no han cambiado. A partir de ahora, inicia sesión con {who}.',
  'upgrade.done-linked': 'Tus datos no han cambiado. Ya puedes volver a iniciar sesión cuando quieras.',
  'upgrade.member':
    'Has iniciado sesión como {who}. No es una cuenta de invitado, así que no hace falta guardarla.',
  'upgrade.change': 'Usar otra dirección',
  'page.upgrade-member': 'Tu cuenta ya está guardada',
  'page.upgrade-done': 'Cuenta guardada',

  'page.hand-over': '¿Transferir tus datos de invitado?',
  'hand-over.text':
    'Has iniciado sesión como {who}. Si transfieres tus datos de invitado a esta cuenta, la cuenta de invitado se eliminará.',
  'hand-over.submit': 'Transferir datos de invitado',
  'hand-over.leave': 'Descartar datos de invitado',
  'hand-over.leave-hint': 'Si descartas tus datos de invitado, ya no podrás acceder a ellos.',
  'hand-over.back': 'Volver a la cuenta de invitado',
  'hand-over.fresh': 'Volver a iniciar sesión',
  'hand-over.sign-in': 'Inicia sesión en la cuenta a la que quieres transferir tus datos de invitado.',
  'page.hand-over-done': 'Datos de invitado transferidos',
  'hand-over.done': 'Tus datos de invitado ahora pertenecen a {who}.',

  'still-in.text':
    'La app ha cerrado tu sesión. En este navegador sigues con la sesión iniciada en tu cuenta como {who}.',
  'still-in.guest':
    'La app ha cerrado tu sesión. En este navegador sigues con la sesión iniciada como invitado. Si cierras sesión aquí, perderás el acceso a la cuenta de invitado.',
  'still-in.submit': 'Cerrar sesión en tu cuenta',
  'still-in.others': 'También has iniciado sesión como {accounts}.',
  'signed-out.all-accounts': 'Cerrar sesión en todas las cuentas',
  'signed-out.kept':
    'La página de inicio de sesión de este navegador aún muestra {accounts}. Si el equipo es compartido, quita tu dirección aquí.',
  'signed-out.forget': 'Quitar de este navegador',
  'signed-out.forgotten': 'Se ha quitado de este navegador.',
  'signed-out.choose': 'Elige una cuenta',
  'still-in.back': 'Volver a {host}',
};
