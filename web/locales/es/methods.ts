export const messages = {
  'wallet.ethereum': 'Billetera de Ethereum',
  'wallet.solana': 'Billetera de Solana',
  'wallet.none':
    'No se ha encontrado ninguna billetera en este navegador. Instala una y vuelve a cargar la página, o abre esta página en el navegador de tu billetera.',

  'join.intro': 'Iniciarás sesión en {name} como {email}.',
  'join.passkey': 'Crear una llave de acceso',

  'page.two-step-prove': 'Configura tu segundo paso',
  'page.two-step-codes': 'Guarda tus códigos de recuperación',
  'two-step.progress': 'Paso {step} de {steps}',
  'two-step.intro': '{name} requiere un segundo paso al iniciar sesión. Elige uno.',
  'two-step.totp':
    'Una app en tu teléfono, como un gestor de contraseñas, muestra un código, incluso sin conexión.',
  'two-step.key': 'Una llave USB o NFC, o el desbloqueo de tu dispositivo con huella o rostro.',
  'two-step.phone': 'Te enviamos un código por SMS cada vez.',
  'two-step.none':
    'En este navegador no se puede configurar un segundo paso. Abre esta página en otro navegador o en otro dispositivo.',
  'mfa.again': 'Para cambiar tus formas de iniciar sesión, confirma que eres tú.',
  'mfa.unusable':
    'Tu llave de seguridad no se puede usar en esta dirección. Usa otro navegador o dispositivo.',
  'mfa.use-totp': 'Usar tu app de autenticación ({name})',
  'mfa.use-phone': 'Enviar un código por SMS al {name}',
  'mfa.use-key': 'Usar tu llave de seguridad ({name})',
  'page.lost': 'Recupera el acceso a tu cuenta',
  'lost.open': 'No puedo usar mi segundo paso',
  'lost.intro':
    'Aún puedes iniciar sesión si has perdido tu teléfono, tu app de autenticación o tu llave de seguridad.',
  'lost.no-codes': 'No tienes códigos de recuperación.',
  'lost.removal':
    'Puedes solicitar que se elimine la verificación en dos pasos. Confirma la solicitud en el correo que enviaremos a {email} y espera {wait}. Durante ese tiempo, el propietario de la cuenta puede detener la eliminación.',
  'lost.hours': '{count, plural, one {# hora} many {# de horas} other {# horas}}',
  'lost.minutes': '{count, plural, one {# minuto} many {# de minutos} other {# minutos}}',
  'lost.request': 'Solicitar eliminación',
  'lost.requested':
    'Hemos enviado un enlace a {email}. Ábrelo antes de una hora para confirmar la solicitud.',
  'lost.resend': 'Enviar un enlace nuevo',
  'lost.waiting':
    'La verificación en dos pasos se eliminará el {when}. Después podrás iniciar sesión sin un segundo paso. Para conservarla, inicia sesión antes con tu segundo paso.',
  'lost.cancel': 'Cancelar eliminación',
  'lost.other-sign-in':
    'Para solicitar que se elimine la verificación en dos pasos, inicia sesión con tu contraseña o con un proveedor. También confirmarás la solicitud por correo.',
  'lost.recent':
    'Tu contraseña, tus datos de contacto o tus formas de iniciar sesión han cambiado hace poco. Por tu seguridad, podrás solicitar que se elimine la verificación en dos pasos {wait} después del último cambio.',
  'lost.support':
    'Pide al soporte de {name} que restablezca la verificación en dos pasos. Comprobarán que la cuenta es tuya.',
  'lost.support-button': 'Obtener ayuda',
  'lost.operator':
    'Pide a los responsables de {host} que restablezcan la verificación en dos pasos. Comprobarán que la cuenta es tuya.',
  'lost.back': 'Atrás',
  'mfa.use-recovery': 'Usar un código de recuperación',
  'mfa.phone-intro': 'Enviaremos un código por SMS al {name}.',
  'mfa.phone-send': 'Enviar código',
  'mfa.phone-sent': 'Hemos enviado un SMS con un código de {length} dígitos al {name}.',
  'mfa.phone-wrong': 'El código es incorrecto o ha caducado. Revísalo o solicita uno nuevo.',
  'mfa.key-intro': 'Conecta {name} o acércala a tu dispositivo y sigue las instrucciones del navegador.',
  'mfa.key-submit': 'Usar llave de seguridad',
  'page.recovery-used': 'Sustituye tu segundo paso perdido',
  'recovery-used.text':
    'Has usado un código de recuperación. {left, plural, one {Queda # código.} many {Quedan # de códigos.} other {Quedan # códigos.}} Elimina el segundo paso que has perdido y configura uno nuevo.',
  'recovery-used.replace': 'Ir a tu cuenta',
  'recovery-used.later': 'Ahora no, continuar',
  'mfa.recovery-intro':
    'Introduce uno de los códigos de recuperación que guardaste. Cada código funciona una sola vez.',
  'mfa.recovery-code': 'Código de recuperación',
  'mfa.recovery-missing': 'Introduce un código de recuperación.',
  'mfa.recovery-wrong': 'El código es incorrecto o ya se ha usado. Revísalo o introduce otro.',

  'factor.intro': 'La verificación en dos pasos protege tu cuenta aunque alguien robe tu contraseña.',
  'factor.phone': 'Teléfono',
  'factor.webauthn': 'Llave de seguridad',
  'factor.add-phone': 'Añadir teléfono',
  'factor.add-key': 'Añadir llave de seguridad',
  'factor.key-name': 'Nombre de la llave',
  'factor.key-hint': 'Elige un nombre que reconozcas más adelante.',
  'factor.ready':
    'La verificación en dos pasos está activada. Te pediremos tu segundo paso cuando inicies sesión.',
  'factor.removed': 'Segundo paso eliminado.',
  'factor.remove-what': 'Eliminar el segundo paso {name}',
  'factor.remove-ask': '¿Eliminar el segundo paso {name}? Dejará de funcionar inmediatamente.',
  'factor.required':
    'Este servicio requiere la verificación en dos pasos. Configúrala para continuar a la app.',
  'factor.last':
    'Este servicio requiere la verificación en dos pasos. Para eliminar este segundo paso, añade otro primero.',

  'recovery.title': 'Códigos de recuperación',
  'recovery.codes': 'códigos de recuperación',
  'recovery.intro':
    'Usa un código de recuperación si pierdes tu teléfono o tu llave de seguridad. Cada código funciona una sola vez.',
  'recovery.none': 'Aún no hay códigos de recuperación',
  'recovery.left':
    '{remaining, plural, one {Queda # código} many {Quedan # de códigos} other {Quedan # códigos}} de {total}.',
  'recovery.few': 'Te quedan pocos códigos. Si generas códigos nuevos, los anteriores dejarán de funcionar.',
  'recovery.make': 'Generar códigos de recuperación',
  'recovery.remake': 'Generar códigos nuevos',
  'recovery.remake-ask':
    '¿Sustituir tus códigos de recuperación? Los códigos que guardaste dejarán de funcionar.',
  'recovery.replace': 'Sustituir mis códigos',
  'recovery.shown-once': 'Guarda estos códigos en un lugar seguro. No se volverán a mostrar.',
  'recovery.download': 'Descargar',
  'recovery.print': 'Imprimir',
  'recovery.last-step':
    'Último paso: genera códigos de recuperación. Necesitarás uno si pierdes tu dispositivo.',
  'recovery.kept': 'He guardado estos códigos',

  'passkey.title': 'Llaves de acceso',
  'passkey.intro':
    'Inicia sesión con tu huella, tu rostro o el bloqueo de pantalla. No necesitas contraseña.',
  'passkey.none': 'Aún no hay llaves de acceso',
  'passkey.add': 'Añadir llave de acceso',
  'passkey.ready': 'Llave de acceso añadida. Ya puedes iniciar sesión con ella.',
  'passkey.unsupported': 'Este navegador no puede crear llaves de acceso en esta dirección.',
  'passkey.unnamed': 'Llave de acceso',
  'passkey.used': 'Último uso: {when}',
  'passkey.rename': 'Cambiar nombre',
  'passkey.rename-what': 'Cambiar el nombre de {name}',
  'passkey.renamed': 'El nombre ahora es {name}.',
  'passkey.name': 'Nombre',
  'passkey.name-missing': 'Introduce un nombre.',
  'passkey.save': 'Guardar',
  'passkey.remove-ask': '¿Eliminar {name}? Ya no podrás usarla para iniciar sesión.',
  'passkey.removed': 'Llave de acceso eliminada. Elimínala también en tu dispositivo.',

  'identity.title': 'Cuentas vinculadas',
  'identity.intro': 'Puedes iniciar sesión con cualquiera de estas cuentas.',
  'identity.link': 'Vincular {name}',
  'identity.linked': '{name} se ha vinculado. Ya puedes usarlo para iniciar sesión.',
  'identity.unlink': 'Desvincular',
  'identity.unlink-ask': '¿Desvincular {name}? Ya no podrás usarlo para iniciar sesión.',
  'identity.unlink-ask-address':
    '¿Desvincular {name}? Ya no podrás usarlo para iniciar sesión. Aún puedes iniciar sesión con {email}.',
  'identity.unlinked': '{name} se ha desvinculado.',
  'identity.last': 'Para desvincular esta cuenta, vincula otra primero.',
  'identity.kept-by-project': 'Este servicio no permite desvincular esta cuenta.',
  'identity.since': 'Vinculada: {when}',
  'identity.organization': 'Tu organización',
};
