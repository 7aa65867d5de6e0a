export const messages = {
  // general
  'error.network': 'Impossible de joindre le serveur. Vérifiez votre connexion et réessayez.',
  'error.key-canceled':
    'Aucune clé d’accès ni clé de sécurité n’a été utilisée. Réessayez. Si cet appareil n’a pas de clé pour ce site, choisissez une autre méthode.',
  'error.key-not-added':
    'Aucune clé n’a été ajoutée. Réessayez. Si cet appareil ne peut pas enregistrer de clé pour ce site, utilisez-en un autre.',
  'error.key-known': 'Cet appareil a déjà une clé de sécurité pour votre compte. Utilisez cette clé.',
  'error.other': 'Une erreur s’est produite de notre côté. Réessayez dans un instant.',
  'error.unknown': 'Une erreur s’est produite de notre côté. Réessayez dans un instant.',
  'error.unexpected_failure': 'Une erreur s’est produite de notre côté. Réessayez dans un instant.',
  'error.validation_failed': 'Certaines informations ne sont pas valides. Vérifiez votre saisie.',
  'error.bad_json': 'La demande était incomplète. Réessayez.',
  'error.conflict': 'Quelqu’un d’autre a modifié les mêmes données en même temps. Réessayez.',
  'error.request_timeout': 'La demande a pris trop de temps. Réessayez.',
  'error.request_entity_too_large': 'Le texte saisi est trop long. Raccourcissez-le et réessayez.',
  'error.feature_disabled': 'Cette fonctionnalité n’est pas disponible ici. Choisissez une autre option.',

  // token, user
  'error.bad_jwt': 'Votre session a expiré. Reconnectez-vous.',
  'error.not_admin': 'Seuls les administrateurs peuvent faire cela. Demandez de l’aide à un administrateur.',
  'error.no_authorization': 'Vous n’êtes pas connecté. Connectez-vous d’abord.',
  'error.not_signed_in': 'Vous n’êtes pas connecté. Connectez-vous d’abord.',
  'error.user_not_found': 'Votre session a expiré. Reconnectez-vous.',
  'error.user_banned': 'Ce compte est bloqué. Contactez l’assistance.',
  'error.session_not_kept':
    'Ce navigateur n’a pas conservé votre connexion. Autorisez les cookies pour ce site, puis reconnectez-vous.',
  'error.session_not_found': 'Vous avez été déconnecté, ici ou depuis un autre appareil. Reconnectez-vous.',
  'error.session_expired': 'Votre session a expiré. Reconnectez-vous.',
  'error.refresh_token_not_found': 'Votre session a expiré. Reconnectez-vous.',
  'error.refresh_token_already_used': 'Votre session a expiré. Reconnectez-vous.',
  'error.unexpected_audience': 'Votre session appartient à un autre service. Reconnectez-vous.',
  'error.invalid_credentials':
    'Le mot de passe est incorrect, ou ce compte n’en a pas. Réessayez, ou recevez un code par e‑mail si vous vous connectez d’habitude autrement.',
  'error.insufficient_aal':
    'Cette action nécessite une deuxième étape. Confirmez d’abord votre identité avec votre application d’authentification.',

  // sign-up, email, phone
  'error.signup_disabled':
    'Il n’est pas possible de créer un compte pour le moment. Si vous en avez déjà un, connectez-vous.',
  'error.user_already_exists':
    'Vous ne pouvez pas créer de compte avec cette adresse. Si c’est la vôtre, connectez-vous.',
  'error.email_exists': 'Cette adresse ne peut pas être utilisée. Saisissez-en une autre.',
  'error.phone_exists': 'Ce numéro ne peut pas être utilisé. Saisissez-en un autre.',
  'error.email_provider_disabled':
    'La connexion par e‑mail est désactivée. Choisissez une autre façon de vous connecter.',
  'error.phone_provider_disabled':
    'La connexion par téléphone est désactivée. Choisissez une autre façon de vous connecter.',
  'error.anonymous_provider_disabled':
    'Les comptes invités sont désactivés. Connectez-vous ou créez un compte.',
  'error.device_not_confirmed':
    'C’est la première fois que vous vous connectez sur cet appareil. Connectez-vous avec le code que nous vous avons envoyé par e‑mail.',
  'error.email_not_confirmed':
    'Cette adresse n’est pas encore confirmée. Ouvrez l’e‑mail que nous vous avons envoyé ou demandez un nouveau code.',
  'error.phone_not_confirmed': 'Ce numéro de téléphone n’est pas encore confirmé. Demandez un nouveau code.',
  'error.email_address_not_authorized':
    'Nous ne pouvons pas encore envoyer d’e‑mails à cette adresse. Saisissez-en une autre.',
  'error.email_address_invalid':
    'Nous ne pouvons pas envoyer d’e‑mails à cette adresse. Vérifiez qu’elle ne contient pas d’erreur.',
  'error.email_address_not_provided':
    'L’autre service n’a pas partagé votre adresse e‑mail. Autorisez-le à la partager ou choisissez une autre façon de vous connecter.',
  'error.invite_not_found': 'Cette invitation n’est pas valide ou a expiré. Demandez-en une nouvelle.',
  'error.otp_expired':
    'Le code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau. Après cinq tentatives erronées, seul un nouveau code fonctionne.',
  'error.otp_disabled':
    'Nous ne pouvons pas envoyer de code. Si vous n’avez pas encore de compte, créez-en un d’abord.',
  'error.sms_send_failed':
    'Nous n’avons pas pu envoyer le SMS. Vérifiez le numéro et réessayez dans un instant.',

  // password
  'error.weak_password': 'Ce mot de passe est trop faible. Respectez les exigences ci-dessous.',
  'error.weak_password-leaked': 'Ce mot de passe figure dans une fuite de données. Choisissez-en un autre.',
  'error.same_password': 'C’est votre mot de passe actuel. Choisissez-en un autre.',
  'error.reauthentication_needed':
    'Votre connexion date d’il y a un moment. Reconnectez-vous, puis réessayez.',
  'error.reauthentication_not_valid': 'Le code est incorrect ou a expiré. Demandez-en un nouveau.',
  'error.current_password_invalid': 'Le mot de passe actuel est incorrect. Vérifiez-le et réessayez.',
  'error.current_password_required':
    'Il manque votre mot de passe actuel. Saisissez-le pour effectuer cette modification.',

  // limits
  'error.overloaded': 'Le serveur reçoit trop de demandes. Réessayez dans un instant.',
  'error.over_request_rate_limit':
    'Il y a eu trop de tentatives, peut-être par quelqu’un d’autre. Attendez avant de réessayer, ou connectez-vous autrement, par exemple avec un code par e‑mail.',
  'error.over_email_send_rate_limit':
    'Nous venons d’envoyer un e‑mail. Attendez un instant avant d’en demander un autre.',
  'error.over_sms_send_rate_limit':
    'Nous venons d’envoyer un SMS. Attendez un instant avant d’en demander un autre.',
  'error.captcha_failed':
    'Nous n’avons pas pu vérifier que vous êtes humain. Rechargez la page et réessayez.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'Cette connexion a expiré. Recommencez depuis l’application.',
  'error.flow_state_expired': 'Cette connexion a expiré. Recommencez depuis l’application.',
  'error.flow_state_already_used':
    'Cette demande de connexion a déjà été utilisée. Recommencez depuis l’application.',
  'error.oauth_client_state_not_found': 'Cette connexion a expiré. Recommencez.',
  'error.oauth_client_state_expired': 'Cette connexion a expiré. Recommencez.',
  'error.oauth_invalid_state':
    'Cette connexion a été commencée dans un autre navigateur. Recommencez dans ce navigateur.',
  'error.bad_oauth_state':
    'Cette connexion a été commencée dans un autre navigateur. Recommencez dans ce navigateur.',
  'error.bad_oauth_callback':
    'L’autre service a envoyé une réponse incomplète. Recommencez, ou choisissez une autre façon de vous connecter.',
  'error.bad_code_verifier':
    'Cette connexion a été commencée dans une autre application ou un autre navigateur. Recommencez depuis l’application.',
  'error.oauth_provider_not_supported':
    'Cette méthode de connexion n’est pas disponible. Choisissez-en une autre.',
  'error.provider_disabled': 'Cette méthode de connexion est désactivée. Choisissez-en une autre.',
  'error.provider_email_needs_verification':
    'L’autre service n’a pas confirmé votre adresse e‑mail. Si nous vous avons envoyé un e‑mail, ouvrez-le pour la confirmer. Sinon, confirmez-la auprès de l’autre service et réessayez.',
  'error.web3_provider_disabled':
    'La connexion par portefeuille est désactivée. Choisissez une autre façon de vous connecter.',
  'error.web3_unsupported_chain':
    'Les portefeuilles de ce réseau ne sont pas pris en charge. Choisissez un autre portefeuille.',
  'error.custom_provider_not_found': 'Cette méthode de connexion n’existe plus. Choisissez-en une autre.',
  'error.over_custom_provider_quota':
    'Le nombre maximal de méthodes de connexion personnalisées est atteint. Supprimez-en une avant d’en ajouter une autre.',

  // identities
  'error.identity_not_found': 'Ce compte n’est plus associé. Rechargez la page.',
  'error.identity_already_exists':
    'Ce compte est déjà associé. Connectez-vous avec celui-ci pour voir à quel utilisateur il appartient.',
  'error.single_identity_not_deletable':
    'Vous ne pouvez pas supprimer votre seule façon de vous connecter. Ajoutez-en d’abord une autre.',
  'error.email_conflict_identity_not_deletable':
    'Dissocier ce compte remplacerait votre adresse e‑mail par celle d’un autre utilisateur. Changez d’abord votre adresse e‑mail ou dissociez l’autre compte.',
  'error.manual_linking_disabled':
    'Vous ne pouvez pas associer de comptes ici. Connectez-vous avec un compte déjà associé.',

  // SSO
  'error.user_sso_managed':
    'Votre organisation gère ce compte. Demandez à son administrateur d’effectuer cette modification.',
  'error.sso_failed':
    'Nous n’avons pas pu vous connecter via votre organisation. Réessayez ou contactez son administrateur.',
  'error.sso_required':
    'Votre organisation exige l’authentification unique pour cette adresse e‑mail. Connectez-vous avec le SSO.',
  'error.sso_not_allowed':
    'Votre organisation n’autorise pas ce compte à se connecter. Contactez son administrateur.',
  'error.sso_provider_not_found':
    'L’authentification unique n’est pas configurée pour ce domaine. Vérifiez le domaine ou choisissez une autre façon de vous connecter.',
  'error.sso_provider_disabled':
    'L’authentification unique de votre organisation est désactivée. Contactez l’administrateur de votre organisation.',
  'error.sso_domain_already_exists':
    'Ce domaine a déjà une authentification unique. Choisissez un autre domaine.',
  'error.saml_provider_disabled':
    'L’authentification unique est désactivée. Choisissez une autre façon de vous connecter.',
  'error.saml_relay_state_not_found': 'Cette connexion a expiré. Recommencez.',
  'error.saml_relay_state_expired': 'Cette connexion a expiré. Recommencez.',
  'error.saml_idp_not_found':
    'Votre organisation n’est pas reliée à ce service. Contactez l’administrateur de votre organisation.',
  'error.saml_idp_already_exists': 'Cette organisation est déjà reliée. Modifiez la connexion existante.',
  'error.saml_assertion_no_user_id':
    'Votre organisation n’a pas envoyé d’identifiant utilisateur. Contactez son administrateur.',
  'error.saml_assertion_no_email':
    'Votre organisation n’a pas envoyé votre adresse e‑mail. Contactez son administrateur.',
  'error.saml_metadata_fetch_failed':
    'Impossible de joindre le service d’authentification unique de votre organisation. Réessayez plus tard.',
  'error.saml_entity_id_mismatch':
    'La réponse ne provient pas du service de connexion configuré pour votre organisation. Contactez l’administrateur de votre organisation.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'Vous avez atteint le nombre maximal de deuxièmes étapes. Supprimez-en une avant d’en ajouter une autre.',
  'error.mfa_factor_name_conflict':
    'Vous avez déjà un authentificateur portant ce nom. Choisissez un autre nom.',
  'error.mfa_factor_not_found': 'Cet authentificateur n’existe plus. Rechargez la page.',
  'error.mfa_ip_address_mismatch':
    'Votre réseau a changé. Saisissez le code que votre application affiche maintenant.',
  'error.mfa_challenge_expired':
    'La demande a expiré. Saisissez le code que votre application affiche maintenant.',
  'error.mfa_verification_failed':
    'Le code est incorrect. Saisissez le code que votre application affiche maintenant.',
  'error.mfa_verification_rejected': 'Le code a été refusé. Reconnectez-vous.',
  'error.mfa_verified_factor_exists':
    'Une deuxième étape de ce type est déjà configurée. Supprimez-la avant d’en configurer une autre.',
  'error.mfa_phone_enroll_not_enabled':
    'Les téléphones ne peuvent pas être ajoutés comme deuxième étape ici. Choisissez une autre deuxième étape.',
  'error.mfa_phone_verify_not_enabled':
    'Les téléphones ne peuvent pas être utilisés comme deuxième étape ici. Choisissez une autre deuxième étape.',
  'error.mfa_totp_enroll_not_enabled':
    'Les applications d’authentification ne peuvent pas être ajoutées ici. Choisissez une autre deuxième étape.',
  'error.mfa_totp_verify_not_enabled':
    'Les applications d’authentification ne peuvent pas être utilisées ici. Choisissez une autre deuxième étape.',
  'error.mfa_webauthn_enroll_not_enabled':
    'Les clés de sécurité ne peuvent pas être ajoutées ici. Choisissez une autre deuxième étape.',
  'error.mfa_webauthn_verify_not_enabled':
    'Les clés de sécurité ne peuvent pas être utilisées ici. Choisissez une autre deuxième étape.',

  // passkeys
  'error.passkey_disabled':
    'Les clés d’accès sont désactivées. Choisissez une autre façon de vous connecter.',
  'error.too_many_passkeys':
    'Vous avez atteint le nombre maximal de clés d’accès. Supprimez-en une avant d’en ajouter une autre.',
  'error.webauthn_credential_not_found':
    'Cette clé d’accès ne peut pas être utilisée ici. Choisissez une autre façon de vous connecter.',
  'error.webauthn_credential_exists':
    'Cet appareil a déjà une clé d’accès pour votre compte. Utilisez cette clé d’accès.',
  'error.webauthn_challenge_not_found': 'Cette demande a déjà été utilisée. Réessayez.',
  'error.webauthn_challenge_expired': 'La demande a expiré. Réessayez.',
  'error.webauthn_verification_failed':
    'La clé d’accès n’a pas pu être vérifiée. Réessayez ou choisissez une autre méthode.',

  // OAuth server
  'error.oauth_client_not_found':
    'Cette application n’est plus enregistrée ici. Contactez l’assistance de l’application.',
  'error.oauth_authorization_not_found':
    'Cette demande a expiré ou appartient à un autre compte. Revenez à l’application et recommencez.',
  'error.oauth_consent_not_found': 'Cette application n’a plus accès. Rechargez la page.',
  'error.oauth_dynamic_client_registration_disabled':
    'Les applications ne peuvent pas s’enregistrer elles-mêmes ici. Contactez l’assistance.',

  // hooks
  'error.hook_timeout': 'Une vérification requise a pris trop de temps. Réessayez.',
  'error.hook_timeout_after_retry': 'Une vérification requise a pris trop de temps. Réessayez.',
  'error.hook_payload_over_size_limit':
    'Une vérification requise n’a pas pu être effectuée. Contactez l’assistance.',
  'error.hook_payload_invalid_content_type':
    'Une vérification requise n’a pas pu être effectuée. Contactez l’assistance.',

  // /account/api
  'error.factor_required':
    'Ce service exige la validation en deux étapes. Pour la configurer, ouvrez votre compte dans un navigateur où JavaScript est activé.',
  'error.access_denied':
    'Vous avez annulé la connexion auprès de l’autre service. Réessayez ou choisissez une autre façon de vous connecter.',
  'error.redirect_not_allowed':
    'Vous êtes connecté, mais l’adresse de l’application n’est pas autorisée ici. Contactez l’assistance de l’application.',
  'error.pkce_required':
    'La demande de connexion de l’application est incomplète. Contactez l’assistance de l’application.',
  'error.bad_code_challenge':
    'La demande de connexion de l’application est incomplète. Contactez l’assistance de l’application.',
  'error.not_same_origin': 'La demande ne provient pas de cette page. Rechargez-la et réessayez.',
  'error.wallet-refused':
    'Le portefeuille n’a pas signé la demande. Réessayez ou choisissez une autre façon de vous connecter.',
  'error.wallet_refused':
    'La signature du portefeuille n’a pas été acceptée. Réessayez ou choisissez une autre façon de vous connecter.',
  'error.not_a_guest': 'Vous n’utilisez pas de compte invité. Rechargez la page.',
  'error.hand_over_off':
    'Vos données d’invité ne peuvent pas être transférées vers ce compte. Connectez-vous sans elles ou utilisez une autre adresse.',
  'error.hand_over_failed':
    'Vos données d’invité n’ont pas pu être transférées, et rien n’a été modifié. Réessayez ou revenez au compte invité.',
  'error.guest_gone': 'Le compte invité n’existe plus. Continuez avec votre compte.',
  'error.sign_in_stale':
    'Votre connexion date d’il y a un moment. Reconnectez-vous pour transférer vos données d’invité.',
  'error.consent_answered': 'Vous avez déjà répondu à cette demande. Revenez à l’application.',

  // the session module
  'error.jwks_empty': 'Le serveur ne peut pas vérifier votre session pour le moment. Réessayez plus tard.',
  'error.no_matching_key': 'Les clés de signature du serveur ont changé. Rechargez la page.',
  'error.bad_signature': 'Votre session n’a pas pu être vérifiée. Reconnectez-vous.',
  'error.expired':
    'Votre session a expiré. Si vous venez de vous connecter, vérifiez l’heure de cet appareil.',
  'error.missing_exp': 'Votre session n’a pas pu être vérifiée. Reconnectez-vous.',
  'error.bad_algorithm': 'Votre session n’a pas pu être vérifiée. Reconnectez-vous.',
  'error.url_and_key_required': 'La configuration de cette page est incomplète. Contactez l’assistance.',

  // organizations, whose functions belong to the project
  'error.account_required':
    'Les invités ne peuvent pas utiliser les organisations. Enregistrez votre compte ou connectez-vous d’abord.',
  'error.already_member': 'Ce compte est déjà membre. Rien n’a été modifié.',
  'error.invalid_input': 'Certaines informations ne sont pas valides. Vérifiez votre saisie.',
  'error.invitation_expired': 'Cette invitation a expiré. Demandez-en une autre.',
  'error.invitation_for_other_email':
    'Cette invitation est destinée à une autre adresse e‑mail. Connectez-vous avec cette adresse et confirmez-la.',
  'error.invitation_not_found': 'Cette invitation n’existe plus. Demandez-en une autre.',
  'error.invitation_used': 'Cette invitation a déjà été utilisée. Demandez-en une autre.',
  'error.last_owner':
    'Une organisation a besoin d’un propriétaire. Désignez d’abord un autre propriétaire ou supprimez l’organisation.',
  'error.limit_reached': 'La limite est atteinte. Supprimez ce dont vous n’avez plus besoin, puis réessayez.',
  'error.member_not_found': 'Cette personne n’est plus membre. Rechargez la page.',
  'error.not_allowed': 'Votre rôle ne le permet pas. Demandez de l’aide à un propriétaire.',
  'error.organization_not_found':
    'Aucune organisation de ce nom n’a été trouvée. Vérifiez votre saisie et demandez à un membre si l’organisation accepte les demandes.',
  'error.request_not_found': 'Cette demande a déjà reçu une réponse ou a été retirée. Rechargez la page.',
  'error.role_not_found': 'Ce rôle n’existe plus. Rechargez la page.',
  'error.role_in_use':
    'Certains membres ou certaines invitations ont ce rôle. Attribuez-leur d’abord un autre rôle.',
  'error.role_taken': 'Un autre rôle a un nom semblable. Choisissez un autre nom.',
  'error.session_required': 'Votre session a expiré. Reconnectez-vous.',
  'error.slug_taken': 'Une autre organisation utilise ce nom court. Choisissez-en un autre.',
};
