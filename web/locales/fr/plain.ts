export const messages = {
  'page.signed-in': 'Vous êtes connecté',
  'page.leave-guest': 'Se déconnecter de votre compte invité\u202f?',
  'page.refused': 'Ce formulaire ne peut pas être envoyé',
  'page.failed': 'Une erreur s’est produite',
  'page.limited': 'Trop de tentatives',

  'page.confirm-invite': 'Rejoindre {name}',
  'page.confirm-number': 'Confirmez votre demande',
  'page.confirm-canceled': 'Ce lien n’est plus valide',
  'page.confirmed': 'Confirmé',
  'page.confirm-recovery': 'Réinitialisez votre mot de passe',
  'page.confirm-magiclink': 'Se connecter à {name}',
  'page.confirm-email_change': 'Confirmez votre adresse e‑mail',

  'confirm.invite':
    'Vous avez été invité à rejoindre {name} en tant que {email}. Acceptez l’invitation pour choisir comment vous connecter.',
  'confirm.invite-button': 'Rejoindre {name}',
  'confirm.recovery':
    'Continuez pour choisir un nouveau mot de passe pour {email}. Ce lien ne fonctionne qu’une seule fois.',
  'confirm.recovery-button': 'Continuer',
  'confirm.magiclink': 'Connectez-vous en tant que {email}. Ce lien ne fonctionne qu’une seule fois.',
  'confirm.magiclink-button': 'Se connecter',
  'confirm.email_change': 'Confirmez {email} comme adresse e‑mail de votre compte {name}.',
  'confirm.email_change-button': 'Confirmer l’adresse e‑mail',

  'confirm.number': 'Saisissez le numéro affiché dans la fenêtre où vous avez demandé cet e‑mail.',
  'confirm.number-device':
    'Saisissez le numéro affiché dans la fenêtre où vous avez demandé cet e‑mail\u00a0: {browser} sur {system}.',
  'confirm.number-button': 'Confirmer',
  'confirm.number-warning':
    'Si vous n’avez pas demandé cet e‑mail, fermez cette page. Ne saisissez jamais un numéro que quelqu’un vous envoie.',
  'confirm.canceled':
    'Un mauvais numéro a été saisi trop souvent. Dans la fenêtre où vous avez demandé l’e‑mail, saisissez le code de l’e‑mail ou envoyez-en un nouveau.',
  'confirm.done': 'Revenez au navigateur où vous avez commencé. La page y continue automatiquement.',
  'confirm.closed': 'Si vous avez fermé cette page, connectez-vous plutôt sur cet appareil.',
  'confirm.sign-in': 'Se connecter sur cet appareil',
  'confirm.number-link': 'Ce lien est destiné à {email} sur {name}.',
  'unlocked.password': 'Choisissez un nouveau mot de passe',
  'page.link-expired-invite': 'Cette invitation a déjà été utilisée ou a expiré',
  'link-expired.invite':
    'Si vous avez déjà accepté, connectez-vous. Sinon, recevez un code par e‑mail ou demandez une autre invitation.',
  'field.number': 'Numéro de l’autre fenêtre',
  'field.number-wrong': 'Le numéro est incorrect. Vérifiez l’autre fenêtre et réessayez.',

  'page.cancel-change': 'Annuler le changement d’adresse e‑mail\u202f?',
  'page.change-canceled': 'Modification annulée',
  'page.email-changed': 'Adresse e‑mail modifiée',
  'cancel-change.text':
    'Quelqu’un a demandé à changer l’adresse e‑mail de votre compte. Si ce n’est pas vous, annulez la modification.',
  'cancel-change.to':
    'Quelqu’un a demandé à changer l’adresse e‑mail de votre compte en {email}. Si ce n’est pas vous, annulez la modification.',
  'cancel-change.button': 'Annuler la modification',
  'change-canceled.text':
    'Votre adresse e‑mail reste la même. Si vous n’avez pas demandé la modification, choisissez maintenant un nouveau mot de passe. Vous serez déconnecté partout ailleurs.',
  'change-canceled.password': 'Choisissez un nouveau mot de passe',
  'email-changed.text':
    'La nouvelle adresse e‑mail de votre compte est confirmée. Vous pouvez fermer cette fenêtre.',

  'page.remove-factors': 'Supprimer la validation en deux étapes\u202f?',
  'page.remove-factors-done': 'Suppression programmée',
  'remove-factors.text':
    'Si vous confirmez, la validation en deux étapes sera supprimée du compte {email} le {when}. Vous vous connecterez ensuite sans deuxième étape.',
  'remove-factors.found':
    'Si vous pouvez de nouveau utiliser votre deuxième étape avant cette date, connectez-vous avec elle pour annuler la suppression.',
  'remove-factors.button': 'Confirmer la suppression',
  'remove-factors.not-me':
    'Si vous n’avez pas demandé cette suppression, fermez cette page. Quelqu’un connaît votre mot de passe\u00a0: choisissez-en un nouveau.',
  'remove-factors-done.text':
    'La validation en deux étapes sera supprimée le {when}. Nous vous préviendrons par e‑mail quand ce sera fait. Vous pouvez fermer cette page.',
  'remove-factors-expired.text':
    'Le lien a été remplacé ou a expiré, ou la demande a été annulée. Pour demander à nouveau la suppression, connectez-vous et choisissez «\u00a0Je ne peux pas utiliser ma deuxième étape\u00a0».',
  'page.not-me': 'Sécurisez votre compte',
  'not-me.new_device': 'Votre compte a été utilisé pour une connexion sur un nouvel appareil le {when}.',
  'not-me.password_set': 'Un mot de passe a été défini pour votre compte le {when}.',
  'not-me.password_changed': 'Votre mot de passe a été modifié le {when}.',
  'not-me.email_changed': 'Votre adresse e‑mail a été modifiée le {when}.',
  'not-me.phone_changed': 'Votre numéro de téléphone a été modifié le {when}.',
  'not-me.factor_added': 'Une méthode de validation a été ajoutée à votre compte le {when}.',
  'not-me.factor_removed': 'Une méthode de validation a été supprimée de votre compte le {when}.',
  'not-me.factor_removal_requested':
    'La suppression de la validation en deux étapes a été demandée pour votre compte le {when}.',
  'not-me.factors_reset': 'La validation en deux étapes a été supprimée de votre compte le {when}.',
  'not-me.recovery_code_used': 'Un code de récupération de votre compte a été utilisé le {when}.',
  'not-me.passkey_added': 'Une clé d’accès a été ajoutée à votre compte le {when}.',
  'not-me.identity_linked': 'Une méthode de connexion a été ajoutée à votre compte le {when}.',
  'not-me.identity_unlinked': 'Une méthode de connexion a été supprimée de votre compte le {when}.',
  'not-me.app_connected': 'Une application a été connectée à votre compte le {when}.',
  'not-me.api_key_created': 'Une clé d’API a été créée pour votre compte le {when}.',
  'not-me.then': 'Si vous choisissez «\u00a0Ce n’était pas moi\u00a0»\u00a0:',
  'not-me.new_device-undo': 'Le nouvel appareil sera déconnecté et ne sera plus reconnu.',
  'not-me.password_changed-undo': 'Le mot de passe actuel cessera de fonctionner.',
  'not-me.email_changed-undo': 'Votre adresse e‑mail redeviendra {email}.',
  'not-me.phone_changed-undo': 'Le numéro de téléphone précédent sera rétabli.',
  'not-me.factor_added-undo': 'La nouvelle méthode de validation sera supprimée.',
  'not-me.factor_removed-undo':
    'La méthode de validation supprimée ne peut pas être rétablie. Ajoutez-en une nouvelle après vous être reconnecté.',
  'not-me.factor_removal_requested-undo':
    'La suppression sera annulée et la validation en deux étapes restera activée.',
  'not-me.factors_reset-undo':
    'Les méthodes de validation supprimées ne peuvent pas être rétablies. Ajoutez-en une nouvelle après vous être reconnecté.',
  'not-me.recovery_code_used-undo':
    'Le code de récupération utilisé restera non valide. Les autres fonctionneront toujours.',
  'not-me.passkey_added-undo': 'La nouvelle clé d’accès sera supprimée.',
  'not-me.identity_linked-undo': 'La nouvelle méthode de connexion sera supprimée.',
  'not-me.identity_unlinked-undo':
    'La méthode de connexion supprimée ne peut pas être rétablie. Ajoutez-la de nouveau après vous être connecté.',
  'not-me.app_connected-undo': 'L’application n’aura plus accès à votre compte.',
  'not-me.api_key_created-undo': 'Toutes les clés d’API de votre compte seront révoquées.',
  'not-me.later': 'Ces modifications ultérieures seront aussi annulées\u00a0:',
  'not-me.sign-out':
    'Vous serez déconnecté de tous les appareils et de toutes les applications connectées, et votre mot de passe cessera de fonctionner.',
  'not-me.back-in':
    'Pour vous reconnecter, saisissez un code que nous enverrons à {email} et choisissez un nouveau mot de passe.',
  'not-me.device': 'Appareil\u00a0: {browser} sur {system}',
  'not-me.later-password_set': 'Mot de passe défini, {when}',
  'not-me.later-password_changed': 'Mot de passe modifié, {when}',
  'not-me.later-email_changed': 'Adresse e‑mail modifiée, {when}',
  'not-me.later-phone_changed': 'Numéro de téléphone modifié, {when}',
  'not-me.later-factor_added': 'Méthode de validation ajoutée, {when}',
  'not-me.later-recovery_codes_created': 'Codes de récupération créés, {when}',
  'not-me.later-passkey_added': 'Clé d’accès ajoutée, {when}',
  'not-me.later-identity_linked': 'Méthode de connexion ajoutée, {when}',
  'not-me.later-app_connected': 'Application connectée, {when}',
  'not-me.later-api_key_created': 'Clé d’API créée, {when}',
  'not-me.later-device': ', {browser} sur {system}',
  'page.not-me-secured': 'Votre compte est déjà sécurisé',
  'not-me-secured.text':
    'Vous avez sécurisé votre compte le {when}. La modification de cet e‑mail ne s’applique plus, vous n’avez donc pas besoin de ce lien.',
  'not-me-secured.help':
    'Si vous voyez encore quelque chose que vous ne reconnaissez pas, choisissez un nouveau mot de passe. Vous serez déconnecté partout ailleurs.',
  'not-me-expired.text':
    'Le lien de cet avis de sécurité ne fonctionne plus. Si vous voyez encore quelque chose que vous ne reconnaissez pas, choisissez un nouveau mot de passe. Vous serez déconnecté partout ailleurs.',
  'not-me.button': 'Ce n’était pas moi',
  'not-me.was-me': 'Si c’était vous, vous pouvez fermer cette page. Rien ne changera.',
  'page.unlock': 'Débloquer la connexion',
  'unlock.text':
    'La connexion à votre compte est suspendue après trop de mots de passe ou de codes erronés. Si c’était vous, débloquez la connexion.',
  'unlock.button': 'Débloquer la connexion',
  'not-me.was-me-not':
    'Si vous n’avez pas essayé de vous connecter, fermez cette page. Votre compte reste protégé.',
  'page.unlocked': 'La connexion est débloquée',
  'page.unlocked-before': 'La connexion est déjà débloquée',
  'unlocked.text':
    'Vous pouvez vous reconnecter. Si vous avez oublié votre mot de passe, choisissez-en un nouveau maintenant.',
  'unlocked.button': 'Se connecter',
  'page.secured': 'Votre compte est sécurisé',
  'secured.text':
    'La modification a été annulée et vous avez été déconnecté partout. Choisissez un nouveau mot de passe pour vous reconnecter.',
  'secured.button': 'Choisissez un nouveau mot de passe',
  'secured.factor':
    'Une fois connecté, activez la validation en deux étapes sur la page de votre compte, si elle est disponible. Elle protège votre compte même si quelqu’un vole votre mot de passe.',
  'secured.has-factor':
    'La validation en deux étapes reste activée, vous aurez donc aussi besoin de votre deuxième étape.',
  'secured.sso':
    'Vous avez été déconnecté partout. Reconnectez-vous via votre organisation et informez ses administrateurs de ce qui s’est passé.',
  'secured.sso-button': 'Se connecter avec le SSO',
  'secured.none':
    'Vous avez été déconnecté partout et votre mot de passe ne fonctionne plus. Votre ancienne adresse e‑mail appartient maintenant à un autre compte. Pour vous reconnecter, contactez l’assistance.',

  'field.code-empty': 'Saisissez votre code.',

  'plain.sent':
    'Nous avons envoyé un e‑mail à {email}. Si vous avez un compte, saisissez le code de l’e‑mail ou ouvrez son lien. Sinon, l’e‑mail explique quoi faire.',
  'plain.sent-confirm':
    'Nous avons envoyé un code à {email}. Saisissez-le pour confirmer votre adresse, ou ouvrez le lien de l’e‑mail.',
  'page.accounts': 'Choisissez un compte',
  'accounts.continue': 'Continuer en tant que {name}',
  'accounts.guest': 'Continuer en tant qu’invité',
  'accounts.current': 'Connecté (dernier utilisé)',
  'accounts.one-out':
    'Vous êtes déconnecté de ce compte ici. Vous êtes peut-être encore connecté à des applications qui l’utilisent.',
  'accounts.all-out':
    'Vous êtes déconnecté de tous les comptes. Vous êtes peut-être encore connecté à des applications qui les utilisent.',
  'accounts.manage': 'Accéder à votre compte',
  'accounts.in': 'Connexion',
  'accounts.out': 'Déconnecté',
  'accounts.sign-out': 'Se déconnecter',
  'accounts.forget': 'Retirer de ce navigateur',
  'accounts.guest-name': 'compte invité',
  'accounts.save-guest': 'Pour conserver le compte, continuez en tant qu’invité et enregistrez-le.',
  'accounts.add': 'Utiliser un autre compte',
  'accounts.sign-out-all': 'Se déconnecter de tous les comptes',
  'page.with': 'Continuer pour se connecter\u202f?',
  'with.text': 'Vous avez suivi un lien depuis un autre site pour vous connecter avec {connection}.',
  'with.button': 'Continuer vers {connection}',
  'with.warning': 'Si vous ne vous y attendiez pas, fermez cette page. Vous ne serez pas connecté.',
  'plain.sso': 'Pour vous connecter en tant que {email}, utilisez le SSO.',
  'plain.sso-button': 'Continuer avec le SSO',
  'plain.join': 'Choisissez le mot de passe avec lequel vous vous connecterez désormais.',
  'plain.number': 'Si vous ouvrez le lien sur un autre appareil, saisissez-y le numéro {number}.',
  'plain.check': 'J’ai confirmé le lien sur un autre appareil',
  'plain.unsaved':
    'Votre nouveau mot de passe n’a pas encore été enregistré. Confirmez d’abord votre identité, puis saisissez de nouveau le mot de passe.',
  'plain.unconfirmed': 'Le lien n’a pas encore été confirmé sur un autre appareil.',
  'page.refused-app': 'Cette application ne peut pas vous connecter',
  'refused.redirect_not_allowed':
    'L’adresse de l’application n’est pas autorisée ici. Contactez l’assistance de l’application.',
  'refused.redirect_not_allowed-hint':
    'Ajoutez {url} à additional_redirect_urls dans la section [auth] de supabase/config.toml, ou utilisez l’adresse de site_url.',
  'refused.pkce_required':
    'La demande de connexion de l’application est incomplète. Contactez l’assistance de l’application.',
  'refused.pkce_required-hint':
    'Envoyez code_challenge et code_challenge_method=s256 avec redirect_to={url}. Pour renvoyer plutôt les sessions dans le fragment d’URL, définissez implicit_return = true dans la section [account] de supabase/plinth.toml.',
  'refused.bad_code_challenge':
    'La demande de connexion de l’application est incomplète. Contactez l’assistance de l’application.',
  'refused.bad_code_challenge-hint':
    'code_challenge doit comporter de 43 à 128 caractères parmi A-Z a-z 0-9 . _ ~ -, et code_challenge_method doit être s256 ou plain.',
  'plain.mfa': 'Ouvrez votre application d’authentification et saisissez le code pour {email} sur {name}.',
  'plain.mfa-other':
    'Pour utiliser une autre deuxième étape, ou si vous avez perdu la vôtre et n’avez pas de codes de récupération, activez JavaScript et rechargez cette page.',
  'plain.mfa-app': 'Utiliser votre application d’authentification',
  'plain.as': 'Connecté en tant que {who}.',
  'plain.as-guest': 'Vous utilisez un compte invité.',
  'plain.continue': 'Continuer vers {host}',
  'plain.continue-hint': 'Vous serez redirigé dans un instant. Si rien ne se passe, utilisez le lien.',
  'plain.account': 'Votre compte',
  'plain.sign-out': 'Se déconnecter',
  'plain.connected': 'Comptes associés',
  'plain.needs-scripts':
    'Pour modifier les paramètres de votre compte, activez JavaScript et rechargez cette page.',
  'plain.back': 'Retour à {name}',
  'plain.save-guest': 'Pour enregistrer votre compte, activez JavaScript et ouvrez votre compte.',
  'plain.refused':
    'La page est peut-être restée ouverte trop longtemps, ou le formulaire ne provient pas de ce site. Rien n’a été modifié. Ouvrez de nouveau la page et renvoyez le formulaire.',
  'plain.failed': 'Une erreur s’est produite de notre côté. Réessayez dans un instant.',
  'plain.limited':
    'Trop de demandes proviennent de votre réseau. Rien n’a été modifié. Attendez un instant, puis ouvrez de nouveau le lien.',

  'page.organizations': 'Organisations',
  'page.invitation-open': 'Vous êtes invité',
  'page.invitation-other': 'Cette invitation est destinée à une autre adresse',
  'page.invitation-unverified': 'Confirmez d’abord votre adresse e‑mail',
  'page.invitation-expired': 'Cette invitation a expiré',
  'page.invitation-used': 'Cette invitation a déjà été utilisée',
  'page.invitation-none': 'Invitation introuvable',
  'page.invitation-member': 'Vous êtes déjà membre',
  'organizations.guest':
    'Les invités ne peuvent pas utiliser les organisations. Enregistrez votre compte ou connectez-vous d’abord.',
  'field.organization-missing': 'Saisissez un nom pour l’organisation.',
  'field.slug-missing': 'Saisissez le nom court de l’organisation.',
  'organizations.who': 'Connecté en tant que {who}',
  'organizations.mine': 'Vos organisations',
  'organizations.invitations': 'Invitations pour vous',
  'organizations.requests': 'Vos demandes d’adhésion',
  'organizations.waiting': 'En attente d’une réponse',
  'organizations.withdraw': 'Retirer',
  'organizations.as': 'En tant que {role}',
  'organizations.open-mail': 'Pour accepter, ouvrez le lien de l’e‑mail.',
  'organizations.current': '{role} · Organisation actuelle',
  'organizations.switch': 'Changer',
  'organizations.none':
    'Vous n’êtes pas encore membre d’une organisation. Créez-en une, ou demandez à l’administrateur d’une organisation de vous inviter.',
  'organizations.available': 'Organisations que vous pouvez rejoindre',
  'organizations.available-why': 'Pour les personnes ayant une adresse {domain}',
  'organizations.available-join': 'Rejoindre',
  'organizations.available-request': 'Demander à rejoindre',
  'field.organization-closed':
    'Vous ne pouvez pas rejoindre cette organisation avec votre adresse e‑mail. Demandez à un membre de vous inviter.',
  'organizations.create-title': 'Créez une organisation',
  'organizations.name': 'Nom de l’organisation',
  'organizations.create': 'Créer l’organisation',
  'organizations.ask-title': 'Demandez à rejoindre une organisation',
  'organizations.slug': 'Nom court',
  'organizations.slug-hint': 'Un membre vous donnera le nom court, par exemple acme.',
  'organizations.message': 'Message aux administrateurs (facultatif)',
  'organizations.ask': 'Envoyer la demande',
  'organizations.created': 'Organisation créée. Vous y êtes passé.',
  'organizations.switched': 'Vous êtes passé à une autre organisation.',
  'organizations.joined': 'Vous avez rejoint l’organisation.',
  'organizations.declined': 'Invitation refusée.',
  'organizations.requested':
    'Demande envoyée. L’organisation apparaîtra ici dès qu’un administrateur l’aura approuvée.',
  'organizations.withdrawn': 'Demande retirée.',
  'organizations.left': 'Vous avez quitté l’organisation.',
  'organizations.deleted': 'Organisation supprimée.',
  'invitation.text': 'Vous avez été invité à rejoindre {organization}. Votre rôle\u00a0: {role}.',
  'invitation.join': 'Rejoindre {organization}',
  'invitation.decline': 'Refuser',
  'invitation.other': 'Utiliser un autre compte',
  'invitation.sign-in':
    'Pour accepter l’invitation, connectez-vous en tant que {email} ou créez un compte avec cette adresse.',
  'invitation.sign-in-link': 'Pour accepter l’invitation, connectez-vous ou créez un compte.',
  'invitation.wrong': 'L’invitation est destinée à {email}. Vous êtes connecté en tant que {who}.',
  'invitation.unverified':
    'L’invitation est destinée à {email}, et cette adresse de votre compte n’est pas encore confirmée.',
  'invitation.expired':
    'Demandez à la personne qui vous a invité à rejoindre {organization} d’envoyer une autre invitation.',
  'invitation.used':
    'Si vous avez déjà rejoint {organization}, ouvrez vos organisations. Sinon, demandez une autre invitation.',
  'invitation.none': 'Le lien est incomplet, ou l’invitation a été retirée. Demandez une autre invitation.',
  'invitation.member': 'Votre compte est déjà membre de {organization}.',
  'invitation.to-list': 'Vos organisations',
};
