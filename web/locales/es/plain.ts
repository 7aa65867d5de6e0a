export const messages = {
  'page.signed-in': 'Has iniciado sesión',
  'page.leave-guest': '¿Cerrar sesión en tu cuenta de invitado?',
  'page.refused': 'No se puede enviar este formulario',
  'page.failed': 'Algo ha fallado',
  'page.limited': 'Demasiados intentos',

  'page.confirm-invite': 'Unirse a {name}',
  'page.confirm-number': 'Confirma tu solicitud',
  'page.confirm-canceled': 'Este enlace ya no es válido',
  'page.confirmed': 'Confirmado',
  'page.confirm-recovery': 'Restablece tu contraseña',
  'page.confirm-magiclink': 'Inicia sesión en {name}',
  'page.confirm-email_change': 'Confirma tu correo electrónico',

  'confirm.invite':
    'Te han invitado a {name} como {email}. Acepta la invitación para elegir cómo iniciarás sesión.',
  'confirm.invite-button': 'Unirse a {name}',
  'confirm.recovery':
    'Continúa para elegir una contraseña nueva para {email}. Este enlace funciona una sola vez.',
  'confirm.recovery-button': 'Continuar',
  'confirm.magiclink': 'Inicia sesión como {email}. Este enlace funciona una sola vez.',
  'confirm.magiclink-button': 'Iniciar sesión',
  'confirm.email_change': 'Confirma {email} como correo electrónico de tu cuenta de {name}.',
  'confirm.email_change-button': 'Confirmar correo electrónico',

  'confirm.number': 'Introduce el número que aparece en la ventana donde solicitaste este correo.',
  'confirm.number-device':
    'Introduce el número que aparece en la ventana donde solicitaste este correo: {browser} en {system}.',
  'confirm.number-button': 'Confirmar',
  'confirm.number-warning':
    'Si no solicitaste este correo, cierra esta página. Nunca introduzcas un número que te envíe otra persona.',
  'confirm.canceled':
    'Se ha introducido un número incorrecto demasiadas veces. En la ventana donde solicitaste el correo, introduce el código del correo o envía uno nuevo.',
  'confirm.done': 'Vuelve al navegador donde empezaste. Allí la página continúa automáticamente.',
  'confirm.closed': 'Si cerraste esa página, inicia sesión en este dispositivo.',
  'confirm.sign-in': 'Iniciar sesión en este dispositivo',
  'confirm.number-link': 'Este enlace es para {email} en {name}.',
  'unlocked.password': 'Elige una contraseña nueva',
  'page.link-expired-invite': 'Esta invitación ya se ha usado o ha caducado',
  'link-expired.invite':
    'Si ya te has unido, inicia sesión. Si no, recibe un código por correo o pide otra invitación.',
  'field.number': 'Número de la otra ventana',
  'field.number-wrong': 'El número es incorrecto. Mira la otra ventana e inténtalo de nuevo.',

  'page.cancel-change': '¿Cancelar el cambio de correo?',
  'page.change-canceled': 'Cambio cancelado',
  'page.email-changed': 'Correo electrónico cambiado',
  'cancel-change.text':
    'Alguien ha pedido cambiar el correo electrónico de tu cuenta. Si no has sido tú, cancela el cambio.',
  'cancel-change.to':
    'Alguien ha pedido cambiar el correo electrónico de tu cuenta a {email}. Si no has sido tú, cancela el cambio.',
  'cancel-change.button': 'Cancelar el cambio',
  'change-canceled.text':
    'Tu correo electrónico sigue siendo el mismo. Si no pediste el cambio, elige ahora una contraseña nueva. Se cerrarán todas las demás sesiones.',
  'change-canceled.password': 'Elige una contraseña nueva',
  'email-changed.text':
    'El nuevo correo electrónico de tu cuenta está confirmado. Puedes cerrar esta ventana.',

  'page.remove-factors': '¿Eliminar la verificación en dos pasos?',
  'page.remove-factors-done': 'Eliminación programada',
  'remove-factors.text':
    'Si confirmas, la verificación en dos pasos se eliminará de la cuenta {email} el {when}. Después iniciarás sesión sin un segundo paso.',
  'remove-factors.found':
    'Si puedes volver a usar tu segundo paso antes de esa fecha, inicia sesión con él para cancelar la eliminación.',
  'remove-factors.button': 'Confirmar eliminación',
  'remove-factors.not-me':
    'Si no has solicitado esta eliminación, cierra esta página. Alguien conoce tu contraseña, así que elige una nueva.',
  'remove-factors-done.text':
    'La verificación en dos pasos se eliminará el {when}. Te avisaremos por correo cuando se haya hecho. Puedes cerrar esta página.',
  'remove-factors-expired.text':
    'El enlace se ha sustituido o ha caducado, o la solicitud se ha cancelado. Para volver a solicitar la eliminación, inicia sesión y elige «No puedo usar mi segundo paso».',
  'page.not-me': 'Protege tu cuenta',
  'not-me.new_device': 'Se inició sesión en tu cuenta en un dispositivo nuevo el {when}.',
  'not-me.password_set': 'Se estableció una contraseña para tu cuenta el {when}.',
  'not-me.password_changed': 'Tu contraseña se cambió el {when}.',
  'not-me.email_changed': 'Tu correo electrónico se cambió el {when}.',
  'not-me.phone_changed': 'Tu número de teléfono se cambió el {when}.',
  'not-me.factor_added': 'Se añadió un método de verificación a tu cuenta el {when}.',
  'not-me.factor_removed': 'Se eliminó un método de verificación de tu cuenta el {when}.',
  'not-me.factor_removal_requested':
    'Se solicitó eliminar la verificación en dos pasos de tu cuenta el {when}.',
  'not-me.factors_reset': 'La verificación en dos pasos se eliminó de tu cuenta el {when}.',
  'not-me.recovery_code_used': 'Se usó un código de recuperación de tu cuenta el {when}.',
  'not-me.passkey_added': 'Se añadió una llave de acceso a tu cuenta el {when}.',
  'not-me.identity_linked': 'Se añadió una forma de iniciar sesión a tu cuenta el {when}.',
  'not-me.identity_unlinked': 'Se eliminó una forma de iniciar sesión de tu cuenta el {when}.',
  'not-me.app_connected': 'Se conectó una app a tu cuenta el {when}.',
  'not-me.api_key_created': 'Se creó una clave de API para tu cuenta el {when}.',
  'not-me.then': 'Si eliges «No he sido yo»:',
  'not-me.new_device-undo': 'Se cerrará la sesión en el dispositivo nuevo y dejará de reconocerse.',
  'not-me.password_changed-undo': 'La contraseña actual dejará de funcionar.',
  'not-me.email_changed-undo': 'Tu correo electrónico volverá a ser {email}.',
  'not-me.phone_changed-undo': 'Se restaurará el número de teléfono anterior.',
  'not-me.factor_added-undo': 'Se eliminará el nuevo método de verificación.',
  'not-me.factor_removed-undo':
    'El método de verificación eliminado no se puede restaurar. Añade uno nuevo después de volver a iniciar sesión.',
  'not-me.factor_removal_requested-undo':
    'La eliminación se cancelará y la verificación en dos pasos seguirá activada.',
  'not-me.factors_reset-undo':
    'Los métodos de verificación eliminados no se pueden restaurar. Añade uno nuevo después de volver a iniciar sesión.',
  'not-me.recovery_code_used-undo':
    'El código de recuperación usado seguirá sin ser válido. Los demás seguirán funcionando.',
  'not-me.passkey_added-undo': 'Se eliminará la nueva llave de acceso.',
  'not-me.identity_linked-undo': 'Se eliminará la nueva forma de iniciar sesión.',
  'not-me.identity_unlinked-undo':
    'La forma de iniciar sesión eliminada no se puede restaurar. Vuelve a añadirla después de iniciar sesión.',
  'not-me.app_connected-undo': 'La app perderá el acceso a tu cuenta.',
  'not-me.api_key_created-undo': 'Se revocarán todas las claves de API de tu cuenta.',
  'not-me.later': 'También se desharán estos cambios posteriores:',
  'not-me.sign-out':
    'Se cerrará tu sesión en todos los dispositivos y en todas las apps conectadas, y tu contraseña dejará de funcionar.',
  'not-me.back-in':
    'Para volver a iniciar sesión, introduce un código que enviaremos a {email} y elige una contraseña nueva.',
  'not-me.device': 'Dispositivo: {browser} en {system}',
  'not-me.later-password_set': 'Contraseña establecida, {when}',
  'not-me.later-password_changed': 'Contraseña cambiada, {when}',
  'not-me.later-email_changed': 'Correo electrónico cambiado, {when}',
  'not-me.later-phone_changed': 'Número de teléfono cambiado, {when}',
  'not-me.later-factor_added': 'Método de verificación añadido, {when}',
  'not-me.later-recovery_codes_created': 'Códigos de recuperación creados, {when}',
  'not-me.later-passkey_added': 'Llave de acceso añadida, {when}',
  'not-me.later-identity_linked': 'Forma de iniciar sesión añadida, {when}',
  'not-me.later-app_connected': 'App conectada, {when}',
  'not-me.later-api_key_created': 'Clave de API creada, {when}',
  'not-me.later-device': ', {browser} en {system}',
  'page.not-me-secured': 'Tu cuenta ya está protegida',
  'not-me-secured.text':
    'Protegiste tu cuenta el {when}. El cambio de este correo ya no se aplica, así que no necesitas este enlace.',
  'not-me-secured.help':
    'Si aún ves algo que no reconoces, elige una contraseña nueva. Se cerrarán todas las demás sesiones.',
  'not-me-expired.text':
    'El enlace de este aviso de seguridad ya no funciona. Si aún ves algo que no reconoces, elige una contraseña nueva. Se cerrarán todas las demás sesiones.',
  'not-me.button': 'No he sido yo',
  'not-me.was-me': 'Si has sido tú, puedes cerrar esta página. No cambiará nada.',
  'page.unlock': 'Desbloquear inicio de sesión',
  'unlock.text':
    'El inicio de sesión en tu cuenta está en pausa tras demasiadas contraseñas o códigos incorrectos. Si has sido tú, desbloquéalo.',
  'unlock.button': 'Desbloquear inicio de sesión',
  'not-me.was-me-not': 'Si no has intentado iniciar sesión, cierra esta página. Tu cuenta sigue protegida.',
  'page.unlocked': 'El inicio de sesión está desbloqueado',
  'page.unlocked-before': 'El inicio de sesión ya estaba desbloqueado',
  'unlocked.text': 'Ya puedes volver a iniciar sesión. Si no recuerdas tu contraseña, elige ahora una nueva.',
  'unlocked.button': 'Iniciar sesión',
  'page.secured': 'Tu cuenta está protegida',
  'secured.text':
    'El cambio se ha deshecho y se han cerrado todas las sesiones. Elige una contraseña nueva para volver a iniciar sesión.',
  'secured.button': 'Elige una contraseña nueva',
  'secured.factor':
    'Después de iniciar sesión, activa la verificación en dos pasos en la página de tu cuenta, si está disponible. Protege tu cuenta aunque alguien robe tu contraseña.',
  'secured.has-factor':
    'La verificación en dos pasos sigue activada, así que también necesitarás tu segundo paso.',
  'secured.sso':
    'Se han cerrado todas las sesiones. Vuelve a iniciar sesión a través de tu organización e informa a sus administradores de lo ocurrido.',
  'secured.sso-button': 'Iniciar sesión con SSO',
  'secured.none':
    'Se han cerrado todas las sesiones y tu contraseña ya no funciona. Tu correo electrónico anterior pertenece ahora a otra cuenta. Para volver a iniciar sesión, contacta con soporte.',

  'field.code-empty': 'Introduce tu código.',

  'plain.sent':
    'Hemos enviado un correo a {email}. Si tienes una cuenta, introduce el código del correo o abre su enlace. Si no, el correo explica qué puedes hacer.',
  'plain.sent-confirm':
    'Hemos enviado un código a {email}. Introdúcelo para confirmar tu dirección o abre el enlace del correo.',
  'page.accounts': 'Elige una cuenta',
  'accounts.continue': 'Continuar como {name}',
  'accounts.guest': 'Continuar como invitado',
  'accounts.current': 'Sesión iniciada (último uso)',
  'accounts.one-out':
    'Has cerrado sesión en esa cuenta aquí. Es posible que sigas con la sesión iniciada en apps que la usan.',
  'accounts.all-out':
    'Has cerrado sesión en todas las cuentas. Es posible que sigas con la sesión iniciada en apps que las usan.',
  'accounts.manage': 'Ir a tu cuenta',
  'accounts.in': 'Inicio de sesión',
  'accounts.out': 'Sesión cerrada',
  'accounts.sign-out': 'Cerrar sesión',
  'accounts.forget': 'Quitar de este navegador',
  'accounts.guest-name': 'cuenta de invitado',
  'accounts.save-guest': 'Para conservar la cuenta, continúa como invitado y guárdala.',
  'accounts.add': 'Usar otra cuenta',
  'accounts.sign-out-all': 'Cerrar sesión en todas las cuentas',
  'page.with': '¿Continuar para iniciar sesión?',
  'with.text': 'Has seguido un enlace de otro sitio para iniciar sesión con {connection}.',
  'with.button': 'Continuar a {connection}',
  'with.warning': 'Si no esperabas esto, cierra esta página. No se iniciará sesión.',
  'plain.sso': 'Para iniciar sesión como {email}, usa SSO.',
  'plain.sso-button': 'Continuar con SSO',
  'plain.join': 'Elige la contraseña con la que iniciarás sesión a partir de ahora.',
  'plain.number': 'Si abres el enlace en otro dispositivo, introduce allí el número {number}.',
  'plain.check': 'He confirmado el enlace en otro dispositivo',
  'plain.unsaved':
    'Tu contraseña nueva aún no se ha guardado. Confirma primero que eres tú y vuelve a introducir la contraseña nueva.',
  'plain.unconfirmed': 'El enlace aún no se ha confirmado en otro dispositivo.',
  'page.refused-app': 'Esta app no puede iniciar tu sesión',
  'refused.redirect_not_allowed':
    'La dirección de la app no está permitida aquí. Contacta con el soporte de la app.',
  'refused.redirect_not_allowed-hint':
    'Añade {url} a additional_redirect_urls en la sección [auth] de supabase/config.toml o usa la dirección de site_url.',
  'refused.pkce_required':
    'La solicitud de inicio de sesión de la app está incompleta. Contacta con el soporte de la app.',
  'refused.pkce_required-hint':
    'Envía code_challenge y code_challenge_method=s256 junto con redirect_to={url}. Para devolver las sesiones en el fragmento de la URL, establece implicit_return = true en la sección [account] de supabase/plinth.toml.',
  'refused.bad_code_challenge':
    'La solicitud de inicio de sesión de la app está incompleta. Contacta con el soporte de la app.',
  'refused.bad_code_challenge-hint':
    'code_challenge debe tener entre 43 y 128 caracteres de A-Z a-z 0-9 . _ ~ -, y code_challenge_method debe ser s256 o plain.',
  'plain.mfa': 'Abre tu app de autenticación e introduce el código de {email} en {name}.',
  'plain.mfa-other':
    'Para usar otro segundo paso, o si has perdido el tuyo y no tienes códigos de recuperación, activa JavaScript y vuelve a cargar esta página.',
  'plain.mfa-app': 'Usar tu app de autenticación',
  'plain.as': 'Sesión iniciada como {who}.',
  'plain.as-guest': 'Estás usando una cuenta de invitado.',
  'plain.continue': 'Continuar a {host}',
  'plain.continue-hint': 'Te redirigiremos en un momento. Si no ocurre nada, usa el enlace.',
  'plain.account': 'Tu cuenta',
  'plain.sign-out': 'Cerrar sesión',
  'plain.connected': 'Cuentas vinculadas',
  'plain.needs-scripts':
    'Para cambiar la configuración de tu cuenta, activa JavaScript y vuelve a cargar esta página.',
  'plain.back': 'Volver a {name}',
  'plain.save-guest': 'Para guardar tu cuenta, activa JavaScript y abre tu cuenta.',
  'plain.refused':
    'Puede que la página haya estado abierta demasiado tiempo o que el formulario no proceda de este sitio. No ha cambiado nada. Abre la página de nuevo y vuelve a enviar el formulario.',
  'plain.failed': 'Algo ha fallado por nuestra parte. Inténtalo de nuevo en un momento.',
  'plain.limited':
    'Se han recibido demasiadas solicitudes desde tu red. No ha cambiado nada. Espera un momento y vuelve a abrir el enlace.',

  'page.organizations': 'Organizaciones',
  'page.invitation-open': 'Tienes una invitación',
  'page.invitation-other': 'Esta invitación es para otra dirección',
  'page.invitation-unverified': 'Confirma primero tu correo electrónico',
  'page.invitation-expired': 'Esta invitación ha caducado',
  'page.invitation-used': 'Esta invitación ya se ha usado',
  'page.invitation-none': 'Invitación no encontrada',
  'page.invitation-member': 'Ya eres miembro',
  'organizations.guest':
    'Los invitados no pueden usar organizaciones. Guarda tu cuenta o inicia sesión primero.',
  'field.organization-missing': 'Introduce un nombre para la organización.',
  'field.slug-missing': 'Introduce el nombre corto de la organización.',
  'organizations.who': 'Sesión iniciada como {who}',
  'organizations.mine': 'Tus organizaciones',
  'organizations.invitations': 'Invitaciones para ti',
  'organizations.requests': 'Tus solicitudes para unirte',
  'organizations.waiting': 'Pendiente de respuesta',
  'organizations.withdraw': 'Retirar',
  'organizations.as': 'Como {role}',
  'organizations.open-mail': 'Para aceptar, abre el enlace del correo.',
  'organizations.current': '{role} · Organización actual',
  'organizations.switch': 'Cambiar',
  'organizations.none':
    'Aún no eres miembro de ninguna organización. Crea una o pide al administrador de una organización que te invite.',
  'organizations.available': 'Organizaciones a las que puedes unirte',
  'organizations.available-why': 'Para personas con una dirección de {domain}',
  'organizations.available-join': 'Unirse',
  'organizations.available-request': 'Solicitar unirse',
  'field.organization-closed':
    'No puedes unirte a esta organización con tu dirección de correo. Pide a un miembro que te invite.',
  'organizations.create-title': 'Crea una organización',
  'organizations.name': 'Nombre de la organización',
  'organizations.create': 'Crear organización',
  'organizations.ask-title': 'Pide unirte a una organización',
  'organizations.slug': 'Nombre corto',
  'organizations.slug-hint': 'Un miembro te dará el nombre corto, por ejemplo acme.',
  'organizations.message': 'Mensaje para los administradores (opcional)',
  'organizations.ask': 'Enviar solicitud',
  'organizations.created': 'Organización creada. Has cambiado a ella.',
  'organizations.switched': 'Has cambiado a otra organización.',
  'organizations.joined': 'Te has unido a la organización.',
  'organizations.declined': 'Invitación rechazada.',
  'organizations.requested':
    'Solicitud enviada. Verás la organización aquí cuando un administrador la apruebe.',
  'organizations.withdrawn': 'Solicitud retirada.',
  'organizations.left': 'Has salido de la organización.',
  'organizations.deleted': 'Organización eliminada.',
  'invitation.text': 'Te han invitado a unirte a {organization}. Tu rol: {role}.',
  'invitation.join': 'Unirse a {organization}',
  'invitation.decline': 'Rechazar',
  'invitation.other': 'Usar otra cuenta',
  'invitation.sign-in':
    'Para aceptar la invitación, inicia sesión como {email} o crea una cuenta con esta dirección.',
  'invitation.sign-in-link': 'Para aceptar la invitación, inicia sesión o crea una cuenta.',
  'invitation.wrong': 'La invitación es para {email}. Has iniciado sesión como {who}.',
  'invitation.unverified':
    'La invitación es para {email}, y esta dirección de tu cuenta aún no está confirmada.',
  'invitation.expired': 'Pide a la persona que te invitó a {organization} que envíe otra invitación.',
  'invitation.used':
    'Si ya te has unido a {organization}, abre tus organizaciones. Si no, pide otra invitación.',
  'invitation.none': 'El enlace está incompleto o la invitación se ha retirado. Pide otra invitación.',
  'invitation.member': 'Tu cuenta ya es miembro de {organization}.',
  'invitation.to-list': 'Tus organizaciones',
};
