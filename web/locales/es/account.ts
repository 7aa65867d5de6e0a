/**
 * Español. Tratamiento: tú, sin regionalismos. Comillas: «…».
 *
 * Términos: sign in = iniciar sesión, sign out = cerrar sesión, account = cuenta, two-step verification = verificación en
 * dos pasos, second step = segundo paso, recovery code = código de recuperación, passkey = llave de acceso, security key =
 * llave de seguridad, authenticator app = app de autenticación, wallet = billetera, support = soporte.
 */
export const messages = {
  'page.sign-in': 'Iniciar sesión',
  'page.password': 'Introduce tu contraseña',
  'page.welcome-back': 'Hola de nuevo',
  'page.sign-up': 'Crea tu cuenta',
  'page.code': 'Introduce el código',
  'page.code-ask': 'Inicia sesión con un código',
  'page.recover': 'Restablece tu contraseña',
  'page.sso': 'Iniciar sesión con SSO',
  'page.mfa': 'Confirma que eres tú',
  'page.two-step': 'Configura la verificación en dos pasos',
  'page.new-password': 'Elige una contraseña nueva',
  'page.join': 'Elige cómo quieres iniciar sesión',
  'page.security': 'Tu cuenta',
  'page.guest': 'Continuar como invitado',
  'page.upgrade': 'Guarda tu cuenta',
  'page.organization': 'Organización',
  'page.consent': '¿Permitir el acceso?',
  'page.confirm': 'Confirma tu correo',
  'page.confirm-other': 'Revisa tu otro buzón',
  'page.continue': 'Te estamos redirigiendo',
  'page.link-expired': 'Este enlace ha caducado',
  'page.signed-out': 'Has cerrado sesión',
  'page.still-in': 'Tu cuenta sigue con la sesión iniciada',
  'page.others-in': 'Otra cuenta sigue con la sesión iniciada',
  'page.error': 'Página no encontrada',
  'page.broken': 'No se ha podido cargar esta página',
  'page.title': '{page} · {name}',

  'field.email': 'Correo electrónico',
  'field.your-email': 'tu correo electrónico',
  'field.email-or-phone': 'Correo electrónico o número de teléfono',
  'field.email-or-phone-missing': 'Introduce tu correo electrónico o tu número de teléfono.',
  'field.email-or-phone-wrong':
    'Introduce un correo electrónico, como nombre@example.com, o un número de teléfono con el prefijo del país, como +34.',
  'field.phone': 'Número de teléfono',
  'field.phone-wrong': 'Introduce un número de teléfono con el prefijo del país, como +34.',
  'field.password': 'Contraseña',
  'field.new-password': 'Contraseña nueva',
  'field.current-password': 'Contraseña actual',
  'field.code': 'Código',
  'field.factor-name': 'Nombre del dispositivo',
  'field.factor-name-hint': 'Elige un nombre que reconozcas más adelante, como «Mi móvil».',
  'field.email-missing': 'Introduce tu correo electrónico.',
  'field.email-wrong': 'Introduce un correo electrónico con el formato nombre@example.com.',
  'field.password-missing': 'Introduce tu contraseña.',
  'field.password-weak': 'Tu contraseña no cumple los requisitos que se indican abajo.',
  'field.code-missing': 'Introduce tu código de {length} dígitos.',
  'field.current-password-missing': 'Introduce tu contraseña actual.',

  'form.retry-in':
    'Inténtalo de nuevo en {seconds, plural, one {# segundo} many {# de segundos} other {# segundos}}',
  'form.retry-in-minutes':
    'Inténtalo de nuevo en {minutes, plural, one {# minuto} many {# de minutos} other {# minutos}}',
  'form.retry-now': 'Ya puedes intentarlo de nuevo.',

  'sign-in.to': 'para continuar a {host}',
  'sign-in.next': 'Continuar',
  'sign-in.others': 'Otras formas de iniciar sesión',
  'sign-in.last-used': 'Último uso',
  'sign-in.submit': 'Iniciar sesión',
  'sign-in.forgot': '¿Has olvidado tu contraseña?',
  'sign-in.send-code': 'Enviarme un código por correo',
  'sign-in.with': 'Continuar con {provider}',
  'sign-in.passkey': 'Iniciar sesión con una llave de acceso',
  'sign-in.wallet': 'Iniciar sesión con una billetera',
  'sign-in.sso': 'Iniciar sesión con SSO',
  'sso.intro': 'Introduce tu correo de trabajo o el dominio de tu organización.',
  'sso.domain': 'Correo de trabajo o dominio',
  'sso.domain-hint': 'Por ejemplo, nombre@empresa.com o empresa.com',
  'field.domain-wrong': 'Introduce tu correo de trabajo o su dominio, que es la parte después de la @.',
  'sso.submit': 'Continuar',
  'sso.other': 'Iniciar sesión de otra forma',
  'sign-in.again': 'Vuelve a iniciar sesión para confirmar que eres tú.',
  'sign-in.guest': 'Continuar como invitado',
  'sign-in.or': 'o',
  'sign-in.new': '¿Es tu primera vez?',
  'sign-in.create': 'Crea una cuenta',
  'sign-in.none': 'El inicio de sesión está desactivado en este proyecto. Contacta con su administrador.',
  'sign-in.already': 'Has iniciado sesión como {who}.',
  'sign-in.already-guest': 'Has iniciado sesión como invitado.',
  'sign-in.continue': 'Continuar',
  'sign-in.continue-to': 'Continuar a {host}',
  'sign-in.other': 'Usar otra cuenta',
  'ended.password_changed':
    'Tu sesión se ha cerrado porque la contraseña ha cambiado. Si no la has cambiado tú, restablécela.',
  'ended.secured':
    'Se han cerrado todas las sesiones para proteger esta cuenta. Si es tu cuenta, inicia sesión con tu contraseña nueva o restablécela.',
  'ended.factors_reset': 'Tu sesión se ha cerrado porque se ha eliminado la verificación en dos pasos.',
  'ended.elsewhere': 'Tu sesión se ha cerrado desde otro dispositivo.',
  'ended.support': 'El equipo de soporte ha cerrado tu sesión.',
  'ended.inactive': 'Tu sesión se ha cerrado por inactividad.',
  'ended.expired': 'Tu sesión se ha cerrado porque ha alcanzado su duración máxima.',
  'ended.replaced':
    'Tu sesión se ha cerrado porque has iniciado sesión en otro lugar. Solo se permite una sesión.',
  'ended.other':
    'Tu sesión se ha cerrado aquí o desde otro dispositivo. Vuelve a iniciar sesión para continuar.',

  'sign-up.unknown':
    'Todavía no hay ninguna cuenta con esta dirección. Crea una o corrige la dirección si tiene una errata.',
  'sign-up.submit': 'Crear cuenta',
  'sign-up.terms': 'Al crear una cuenta, aceptas los <0>Términos</0>.',
  'sign-up.privacy': 'Al crear una cuenta, aceptas la <1>Política de privacidad</1>.',
  'sign-up.terms-and-privacy':
    'Al crear una cuenta, aceptas los <0>Términos</0> y la <1>Política de privacidad</1>.',
  'sign-up.phone': 'Usar un número de teléfono',
  'sign-up.have': '¿Ya tienes una cuenta?',
  'sign-up.sign-in': 'Iniciar sesión',

  'password.change': 'Cambiar',
  'password.rules': 'Tu contraseña necesita',
  'password.length': 'al menos {count, plural, one {# carácter} many {# de caracteres} other {# caracteres}}',
  'password.letter': 'una letra',
  'password.lower': 'una letra minúscula',
  'password.upper': 'una letra mayúscula',
  'password.digit': 'un número',
  'password.symbol': 'un símbolo, como ! o ?',
  'password.met': '(cumplido)',
  'password.unmet': '(falta)',

  'code.sent':
    'Hemos enviado un correo a {email}. Si tienes una cuenta, contiene un código de {length} dígitos. Si no, explica qué puedes hacer.',
  'code.sent-new-device':
    'Es la primera vez que inicias sesión en este dispositivo. Para confirmar que eres tú, introduce el código de {length} dígitos que hemos enviado a {email}.',
  'code.sent-confirm':
    'Hemos enviado un código de {length} dígitos a {email}. Introdúcelo para confirmar tu dirección.',
  'code.number': 'Si abres el enlace del correo en otro dispositivo, introduce allí el número {number}.',
  'code.canceled':
    'El enlace ya no es válido porque se ha introducido un número incorrecto demasiadas veces. Introduce el código del correo o solicita un correo nuevo.',
  'code.sent-phone': 'Hemos enviado un SMS con un código de {length} dígitos al {phone}.',
  'code.phone-intro': 'Te enviaremos un código de inicio de sesión por SMS. No necesitas contraseña.',
  'code.submit': 'Continuar',
  'code.resend': 'Enviar un código nuevo',
  'code.resend-in': 'Enviar un código nuevo en {seconds} s',
  'code.resent': 'Hemos enviado un código nuevo.',
  'code.other': 'Usar otra dirección',
  'code.other-number': 'Usar otro número',
  'code.back': 'Volver al inicio de sesión',
  'code.send': 'Enviar código',
  'code.recover-intro': 'Te enviaremos por correo un código para elegir una contraseña nueva.',
  'code.sign-in-intro': 'Te enviaremos un código de inicio de sesión por correo. No necesitas contraseña.',

  'mfa.intro':
    'Abre tu app de autenticación e introduce el código de {length} dígitos de {account} en {name}.',
  'mfa.unnamed': 'App de autenticación',
  'mfa.submit': 'Confirmar',
  'mfa.leave': 'Cerrar sesión',

  'new-password.intro': 'Has iniciado sesión. Elige la contraseña que usarás a partir de ahora.',
  'new-password.intro-as':
    'Has iniciado sesión como {email}. Elige la contraseña que usarás a partir de ahora.',
  'new-password.others': 'Se cerrarán todas las demás sesiones.',
  'new-password.later': 'Ahora no',
  'new-password.submit': 'Guardar contraseña',

  'confirm.text': 'Confirma {email} para continuar. Este enlace funciona una sola vez.',
  'confirm.button': 'Continuar',
  'confirm-other.text': 'Esta dirección está confirmada. Ahora abre el enlace que hemos enviado a {email}.',
  'confirm-other.home': 'Ir a tu cuenta',
  'continue.text': 'Si no ocurre nada, usa este enlace.',
  'continue.link': 'Continuar a la app',
  'link-expired.text': 'Este enlace ya se ha usado o ha caducado. Solicita uno nuevo.',
  'link-expired.sign-in': 'Iniciar sesión',

  'signed-out.text': 'Es posible que sigas con la sesión iniciada en apps que usan esta cuenta.',
  'signed-out.alone': 'Puedes cerrar esta ventana.',
  'signed-out.all':
    'También se ha cerrado la sesión en las apps de este navegador. Puedes cerrar esta ventana.',
  'signed-out.apps': 'En este navegador sigues con la sesión iniciada en {apps}.',
  'signed-out.others':
    'Has cerrado sesión en esa cuenta. En este navegador sigues con la sesión iniciada como {accounts}.',
  'signed-out.guest-in':
    'Has cerrado sesión en esa cuenta. En este navegador sigues con la sesión iniciada como invitado.',
  'signed-out.again': 'Volver a iniciar sesión',

  'error.text': 'Revisa la dirección web. Puede que la página se haya movido o eliminado.',
  'error.home': 'Ir a tu cuenta',
  'error.part_missing':
    'No se ha podido cargar una parte de esta página. Comprueba tu conexión y vuelve a cargar la página.',
  'error.load-again': 'Volver a cargar',

  'footer.support': 'Ayuda',
  'footer.terms': 'Términos',
  'footer.privacy': 'Privacidad',
};
