export const messages = {
  // general
  'error.network': 'No se puede conectar con el servidor. Comprueba tu conexión e inténtalo de nuevo.',
  'error.key-canceled':
    'No se ha usado ninguna llave de acceso ni de seguridad. Inténtalo de nuevo. Si este dispositivo no tiene una llave para este sitio, elige otro método.',
  'error.key-not-added':
    'No se ha añadido ninguna llave. Inténtalo de nuevo. Si este dispositivo no puede guardar una llave para este sitio, usa otro dispositivo.',
  'error.key-known': 'Este dispositivo ya tiene una llave de seguridad para tu cuenta. Usa esa llave.',
  'error.other': 'Algo ha fallado por nuestra parte. Inténtalo de nuevo en un momento.',
  'error.unknown': 'Algo ha fallado por nuestra parte. Inténtalo de nuevo en un momento.',
  'error.unexpected_failure': 'Algo ha fallado por nuestra parte. Inténtalo de nuevo en un momento.',
  'error.validation_failed': 'Algunos datos no son válidos. Revisa lo que has introducido.',
  'error.bad_json': 'La solicitud estaba incompleta. Inténtalo de nuevo.',
  'error.conflict': 'Otra persona ha cambiado los mismos datos al mismo tiempo. Inténtalo de nuevo.',
  'error.request_timeout': 'La solicitud ha tardado demasiado. Inténtalo de nuevo.',
  'error.request_entity_too_large':
    'El texto que has introducido es demasiado largo. Acórtalo e inténtalo de nuevo.',
  'error.feature_disabled': 'Esta función no está disponible aquí. Elige otra opción.',

  // token, user
  'error.bad_jwt': 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  'error.not_admin': 'Solo los administradores pueden hacer esto. Pide ayuda a un administrador.',
  'error.no_authorization': 'No has iniciado sesión. Inicia sesión primero.',
  'error.not_signed_in': 'No has iniciado sesión. Inicia sesión primero.',
  'error.user_not_found': 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  'error.user_banned': 'Esta cuenta está bloqueada. Contacta con soporte.',
  'error.session_not_kept':
    'Este navegador no ha conservado tu sesión. Permite las cookies en este sitio y vuelve a iniciar sesión.',
  'error.session_not_found':
    'Tu sesión se ha cerrado aquí o desde otro dispositivo. Vuelve a iniciar sesión.',
  'error.session_expired': 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  'error.refresh_token_not_found': 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  'error.refresh_token_already_used': 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  'error.unexpected_audience': 'Tu sesión pertenece a otro servicio. Vuelve a iniciar sesión.',
  'error.invalid_credentials':
    'La contraseña es incorrecta o esta cuenta no tiene. Inténtalo de nuevo, o recibe un código por correo si sueles iniciar sesión de otra forma.',
  'error.insufficient_aal':
    'Esta acción requiere un segundo paso. Confirma primero que eres tú con tu app de autenticación.',

  // sign-up, email, phone
  'error.signup_disabled':
    'En este momento no se pueden crear cuentas nuevas. Si ya tienes una cuenta, inicia sesión.',
  'error.user_already_exists': 'No puedes crear una cuenta con esta dirección. Si es tuya, inicia sesión.',
  'error.email_exists': 'Esta dirección no se puede usar. Introduce otra.',
  'error.phone_exists': 'Este número no se puede usar. Introduce otro.',
  'error.email_provider_disabled':
    'El inicio de sesión por correo está desactivado. Elige otra forma de iniciar sesión.',
  'error.phone_provider_disabled':
    'El inicio de sesión por teléfono está desactivado. Elige otra forma de iniciar sesión.',
  'error.anonymous_provider_disabled':
    'Las cuentas de invitado están desactivadas. Inicia sesión o crea una cuenta.',
  'error.device_not_confirmed':
    'Es la primera vez que inicias sesión en este dispositivo. Inicia sesión con el código que te hemos enviado por correo.',
  'error.email_not_confirmed':
    'Esta dirección aún no está confirmada. Abre el correo que te hemos enviado o solicita un código nuevo.',
  'error.phone_not_confirmed': 'Este número de teléfono aún no está confirmado. Solicita un código nuevo.',
  'error.email_address_not_authorized': 'Aún no podemos enviar correos a esta dirección. Introduce otra.',
  'error.email_address_invalid':
    'No podemos enviar correos a esta dirección. Comprueba que no tenga errores.',
  'error.email_address_not_provided':
    'El otro servicio no ha compartido tu correo electrónico. Permite que lo comparta o elige otra forma de iniciar sesión.',
  'error.invite_not_found': 'Esta invitación no es válida o ha caducado. Solicita una nueva.',
  'error.otp_expired':
    'El código es incorrecto o ha caducado. Revísalo o solicita uno nuevo. Tras cinco intentos incorrectos, solo funciona un código nuevo.',
  'error.otp_disabled': 'No podemos enviar un código. Si aún no tienes una cuenta, crea una primero.',
  'error.sms_send_failed':
    'No hemos podido enviar el SMS. Revisa el número e inténtalo de nuevo en un momento.',

  // password
  'error.weak_password': 'Esta contraseña es demasiado débil. Sigue los requisitos que se indican abajo.',
  'error.weak_password-leaked': 'Esta contraseña ha aparecido en una filtración de datos. Elige otra.',
  'error.same_password': 'Esta es tu contraseña actual. Elige una diferente.',
  'error.reauthentication_needed':
    'Iniciaste sesión hace tiempo. Vuelve a iniciar sesión e inténtalo de nuevo.',
  'error.reauthentication_not_valid': 'El código es incorrecto o ha caducado. Solicita uno nuevo.',
  'error.current_password_invalid': 'La contraseña actual es incorrecta. Revísala e inténtalo de nuevo.',
  'error.current_password_required': 'Falta tu contraseña actual. Introdúcela para hacer este cambio.',

  // limits
  'error.overloaded': 'El servidor está recibiendo demasiadas solicitudes. Inténtalo de nuevo en un momento.',
  'error.over_request_rate_limit':
    'Ha habido demasiados intentos, quizá de otra persona. Espera antes de volver a intentarlo o inicia sesión de otra forma, por ejemplo con un código por correo.',
  'error.over_email_send_rate_limit':
    'Acabamos de enviar un correo. Espera un momento antes de solicitar otro.',
  'error.over_sms_send_rate_limit': 'Acabamos de enviar un SMS. Espera un momento antes de solicitar otro.',
  'error.captcha_failed':
    'No hemos podido verificar que eres una persona. Vuelve a cargar la página e inténtalo de nuevo.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'Este inicio de sesión ha caducado. Empieza de nuevo desde la app.',
  'error.flow_state_expired': 'Este inicio de sesión ha caducado. Empieza de nuevo desde la app.',
  'error.flow_state_already_used':
    'Esta solicitud de inicio de sesión ya se ha usado. Empieza de nuevo desde la app.',
  'error.oauth_client_state_not_found': 'Este inicio de sesión ha caducado. Empieza de nuevo.',
  'error.oauth_client_state_expired': 'Este inicio de sesión ha caducado. Empieza de nuevo.',
  'error.oauth_invalid_state':
    'Este inicio de sesión se empezó en otro navegador. Empieza de nuevo en este navegador.',
  'error.bad_oauth_state':
    'Este inicio de sesión se empezó en otro navegador. Empieza de nuevo en este navegador.',
  'error.bad_oauth_callback':
    'El otro servicio ha enviado una respuesta incompleta. Empieza de nuevo o elige otra forma de iniciar sesión.',
  'error.bad_code_verifier':
    'Este inicio de sesión se empezó en otra app o en otro navegador. Empieza de nuevo desde la app.',
  'error.oauth_provider_not_supported': 'Esta forma de iniciar sesión no está disponible. Elige otra.',
  'error.provider_disabled': 'Esta forma de iniciar sesión está desactivada. Elige otra.',
  'error.provider_email_needs_verification':
    'El otro servicio no ha confirmado tu correo electrónico. Si te hemos enviado un correo, ábrelo para confirmar la dirección. Si no, confírmala en el otro servicio e inténtalo de nuevo.',
  'error.web3_provider_disabled':
    'El inicio de sesión con billeteras está desactivado. Elige otra forma de iniciar sesión.',
  'error.web3_unsupported_chain': 'No se admiten billeteras de esta red. Elige otra billetera.',
  'error.custom_provider_not_found': 'Esta forma de iniciar sesión ya no existe. Elige otra.',
  'error.over_custom_provider_quota':
    'Se ha alcanzado el número máximo de formas de inicio de sesión personalizadas. Elimina una antes de añadir otra.',

  // identities
  'error.identity_not_found': 'Esta cuenta ya no está vinculada. Vuelve a cargar la página.',
  'error.identity_already_exists':
    'Esta cuenta ya está vinculada. Inicia sesión con ella para ver a qué usuario pertenece.',
  'error.single_identity_not_deletable':
    'No puedes eliminar tu única forma de iniciar sesión. Añade otra primero.',
  'error.email_conflict_identity_not_deletable':
    'Si desvinculas esta cuenta, tu correo electrónico cambiaría a uno que tiene otro usuario. Cambia primero tu correo electrónico o desvincula la otra cuenta.',
  'error.manual_linking_disabled':
    'Aquí no puedes vincular cuentas. Inicia sesión con una cuenta que ya esté vinculada.',

  // SSO
  'error.user_sso_managed':
    'Tu organización administra esta cuenta. Pide a su administrador que haga este cambio.',
  'error.sso_failed':
    'No hemos podido iniciar tu sesión a través de tu organización. Inténtalo de nuevo o contacta con su administrador.',
  'error.sso_required':
    'Tu organización exige el inicio de sesión único para este correo electrónico. Inicia sesión con SSO.',
  'error.sso_not_allowed':
    'Tu organización no permite que esta cuenta inicie sesión. Ponte en contacto con su administrador.',
  'error.sso_provider_not_found':
    'El inicio de sesión único no está configurado para este dominio. Revisa el dominio o elige otra forma de iniciar sesión.',
  'error.sso_provider_disabled':
    'El inicio de sesión único de tu organización está desactivado. Contacta con el administrador de tu organización.',
  'error.sso_domain_already_exists': 'Este dominio ya tiene inicio de sesión único. Elige otro dominio.',
  'error.saml_provider_disabled':
    'El inicio de sesión único está desactivado. Elige otra forma de iniciar sesión.',
  'error.saml_relay_state_not_found': 'Este inicio de sesión ha caducado. Empieza de nuevo.',
  'error.saml_relay_state_expired': 'Este inicio de sesión ha caducado. Empieza de nuevo.',
  'error.saml_idp_not_found':
    'Tu organización no está conectada a este servicio. Contacta con el administrador de tu organización.',
  'error.saml_idp_already_exists': 'Esta organización ya está conectada. Cambia la conexión existente.',
  'error.saml_assertion_no_user_id':
    'Tu organización no ha enviado un identificador de usuario. Contacta con su administrador.',
  'error.saml_assertion_no_email':
    'Tu organización no ha enviado tu correo electrónico. Contacta con su administrador.',
  'error.saml_metadata_fetch_failed':
    'No se puede conectar con el servicio de inicio de sesión único de tu organización. Inténtalo más tarde.',
  'error.saml_entity_id_mismatch':
    'La respuesta no procede del servicio de inicio de sesión configurado para tu organización. Contacta con el administrador de tu organización.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'Has alcanzado el número máximo de segundos pasos. Elimina uno antes de añadir otro.',
  'error.mfa_factor_name_conflict': 'Ya tienes un autenticador con este nombre. Elige otro nombre.',
  'error.mfa_factor_not_found': 'Este autenticador ya no existe. Vuelve a cargar la página.',
  'error.mfa_ip_address_mismatch': 'Tu red ha cambiado. Introduce el código que muestra tu app ahora.',
  'error.mfa_challenge_expired': 'La solicitud ha caducado. Introduce el código que muestra tu app ahora.',
  'error.mfa_verification_failed': 'El código es incorrecto. Introduce el código que muestra tu app ahora.',
  'error.mfa_verification_rejected': 'El código se ha rechazado. Vuelve a iniciar sesión.',
  'error.mfa_verified_factor_exists':
    'Ya hay un segundo paso de este tipo. Elimínalo antes de configurar otro.',
  'error.mfa_phone_enroll_not_enabled':
    'Aquí no se pueden añadir teléfonos como segundo paso. Elige otro segundo paso.',
  'error.mfa_phone_verify_not_enabled':
    'Aquí no se pueden usar teléfonos como segundo paso. Elige otro segundo paso.',
  'error.mfa_totp_enroll_not_enabled':
    'Aquí no se pueden añadir apps de autenticación. Elige otro segundo paso.',
  'error.mfa_totp_verify_not_enabled':
    'Aquí no se pueden usar apps de autenticación. Elige otro segundo paso.',
  'error.mfa_webauthn_enroll_not_enabled':
    'Aquí no se pueden añadir llaves de seguridad. Elige otro segundo paso.',
  'error.mfa_webauthn_verify_not_enabled':
    'Aquí no se pueden usar llaves de seguridad. Elige otro segundo paso.',

  // passkeys
  'error.passkey_disabled': 'Las llaves de acceso están desactivadas. Elige otra forma de iniciar sesión.',
  'error.too_many_passkeys':
    'Has alcanzado el número máximo de llaves de acceso. Elimina una antes de añadir otra.',
  'error.webauthn_credential_not_found':
    'Esta llave de acceso no se puede usar aquí. Elige otra forma de iniciar sesión.',
  'error.webauthn_credential_exists':
    'Este dispositivo ya tiene una llave de acceso para tu cuenta. Usa esa llave de acceso.',
  'error.webauthn_challenge_not_found': 'Esta solicitud ya se ha usado. Inténtalo de nuevo.',
  'error.webauthn_challenge_expired': 'La solicitud ha caducado. Inténtalo de nuevo.',
  'error.webauthn_verification_failed':
    'No se ha podido verificar la llave de acceso. Inténtalo de nuevo o elige otro método.',

  // OAuth server
  'error.oauth_client_not_found': 'Esta app ya no está registrada aquí. Contacta con el soporte de la app.',
  'error.oauth_authorization_not_found':
    'Esta solicitud ha caducado o pertenece a otra cuenta. Vuelve a la app y empieza de nuevo.',
  'error.oauth_consent_not_found': 'Esta app ya no tiene acceso. Vuelve a cargar la página.',
  'error.oauth_dynamic_client_registration_disabled':
    'Las apps no pueden registrarse aquí por sí mismas. Contacta con soporte.',

  // hooks
  'error.hook_timeout': 'Una comprobación necesaria ha tardado demasiado. Inténtalo de nuevo.',
  'error.hook_timeout_after_retry': 'Una comprobación necesaria ha tardado demasiado. Inténtalo de nuevo.',
  'error.hook_payload_over_size_limit':
    'No se ha podido completar una comprobación necesaria. Contacta con soporte.',
  'error.hook_payload_invalid_content_type':
    'No se ha podido completar una comprobación necesaria. Contacta con soporte.',

  // /account/api
  'error.factor_required':
    'Este servicio requiere la verificación en dos pasos. Para configurarla, abre tu cuenta en un navegador con JavaScript activado.',
  'error.access_denied':
    'Has cancelado el inicio de sesión en el otro servicio. Inténtalo de nuevo o elige otra forma de iniciar sesión.',
  'error.redirect_not_allowed':
    'Has iniciado sesión, pero la dirección de la app no está permitida aquí. Contacta con el soporte de la app.',
  'error.pkce_required':
    'La solicitud de inicio de sesión de la app está incompleta. Contacta con el soporte de la app.',
  'error.bad_code_challenge':
    'La solicitud de inicio de sesión de la app está incompleta. Contacta con el soporte de la app.',
  'error.not_same_origin': 'La solicitud no procede de esta página. Vuelve a cargarla e inténtalo de nuevo.',
  'error.wallet-refused':
    'La billetera no ha firmado la solicitud. Inténtalo de nuevo o elige otra forma de iniciar sesión.',
  'error.wallet_refused':
    'No se ha aceptado la firma de la billetera. Inténtalo de nuevo o elige otra forma de iniciar sesión.',
  'error.not_a_guest': 'No estás usando una cuenta de invitado. Vuelve a cargar la página.',
  'error.hand_over_off':
    'Tus datos de invitado no se pueden transferir a esta cuenta. Inicia sesión sin ellos o usa otra dirección.',
  'error.hand_over_failed':
    'No se han podido transferir tus datos de invitado y no ha cambiado nada. Inténtalo de nuevo o vuelve a la cuenta de invitado.',
  'error.guest_gone': 'La cuenta de invitado ya no existe. Continúa con tu cuenta.',
  'error.sign_in_stale':
    'Iniciaste sesión hace tiempo. Vuelve a iniciar sesión para transferir tus datos de invitado.',
  'error.consent_answered': 'Ya has respondido a esta solicitud. Vuelve a la app.',

  // the session module
  'error.jwks_empty': 'El servidor no puede verificar tu sesión en este momento. Inténtalo más tarde.',
  'error.no_matching_key': 'Las claves de firma del servidor han cambiado. Vuelve a cargar la página.',
  'error.bad_signature': 'No se ha podido verificar tu sesión. Vuelve a iniciar sesión.',
  'error.expired':
    'Tu sesión ha caducado. Si acabas de iniciar sesión, comprueba la hora de este dispositivo.',
  'error.missing_exp': 'No se ha podido verificar tu sesión. Vuelve a iniciar sesión.',
  'error.bad_algorithm': 'No se ha podido verificar tu sesión. Vuelve a iniciar sesión.',
  'error.url_and_key_required': 'La configuración de esta página está incompleta. Contacta con soporte.',

  // organizations, whose functions belong to the project
  'error.account_required':
    'Los invitados no pueden usar organizaciones. Guarda tu cuenta o inicia sesión primero.',
  'error.already_member': 'Esta cuenta ya es miembro. No ha cambiado nada.',
  'error.invalid_input': 'Algunos datos no son válidos. Revisa lo que has introducido.',
  'error.invitation_expired': 'Esta invitación ha caducado. Pide otra.',
  'error.invitation_for_other_email':
    'Esta invitación es para otro correo electrónico. Inicia sesión con esa dirección y confírmala.',
  'error.invitation_not_found': 'Esta invitación ya no existe. Pide otra.',
  'error.invitation_used': 'Esta invitación ya se ha usado. Pide otra.',
  'error.last_owner':
    'Una organización necesita un propietario. Nombra propietario a otro miembro primero o elimina la organización.',
  'error.limit_reached': 'Se ha alcanzado el límite. Elimina lo que ya no necesites e inténtalo de nuevo.',
  'error.member_not_found': 'Esta persona ya no es miembro. Vuelve a cargar la página.',
  'error.not_allowed': 'Tu rol no permite hacer esto. Pide ayuda a un propietario.',
  'error.organization_not_found':
    'No se ha encontrado ninguna organización así. Revisa lo que has introducido y pregunta a un miembro si la organización acepta solicitudes.',
  'error.request_not_found': 'Esta solicitud ya se ha respondido o retirado. Vuelve a cargar la página.',
  'error.role_not_found': 'Este rol ya no existe. Vuelve a cargar la página.',
  'error.role_in_use': 'Algunos miembros o invitaciones tienen este rol. Asígnales otro primero.',
  'error.role_taken': 'Otro rol tiene un nombre parecido. Elige un nombre diferente.',
  'error.session_required': 'Tu sesión ha caducado. Vuelve a iniciar sesión.',
  'error.slug_taken': 'Otra organización tiene este nombre corto. Elige uno diferente.',
};
