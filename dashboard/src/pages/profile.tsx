import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { changePassword, changeProfile, deleteAccount, type Profile, useProfile } from '../api/profile.js';
import { announce } from '../components/announcer.js';
import { CallForm, TextField } from '../components/form.js';
import { PageTitle } from '../components/frame.js';
import { DeleteAccount } from '../components/profile/delete-account.js';
import { Time } from '../components/time.js';
import { Card, Loaded, ui } from '../components/ui.js';
import { session } from '../session/session.js';

const PROVIDERS: Readonly<Record<string, string>> = { email: 'password', google: 'Google', github: 'GitHub' };

function Facts({ profile }: { readonly profile: Profile }): ReactNode {
  return (
    <Card title="Your account">
      <dl className={ui.facts}>
        <dt>E-mail address</dt>
        <dd>{profile.email}</dd>
        <dt>Signs in with</dt>
        <dd>{profile.providers.map((id) => PROVIDERS[id] ?? id).join(', ')}</dd>
        <dt>Since</dt>
        <dd>
          <Time iso={profile.created_at} />
        </dd>
        <dt>User id</dt>
        <dd>
          <code>{profile.id}</code>
        </dd>
      </dl>
    </Card>
  );
}

function NameAndAvatar({ profile }: { readonly profile: Profile }): ReactNode {
  return (
    <Card title="Name and avatar">
      <CallForm
        action="Save"
        onSend={async (field) => {
          const avatar = field('avatar_url').trim();
          await changeProfile({ display_name: field('display_name'), avatar_url: avatar === '' ? null : avatar });
          announce('Your profile is saved.');
        }}
      >
        <TextField
          label="Name"
          name="display_name"
          autoComplete="name"
          hint="1 to 100 characters."
          defaultValue={profile.name}
        />
        <TextField
          label="Address of your avatar"
          name="avatar_url"
          autoComplete="photo"
          required={false}
          hint="An https address of an image, or nothing. It is given to your programs and never loaded here: this page takes nothing from elsewhere."
          defaultValue={profile.avatar_url ?? ''}
        />
      </CallForm>
    </Card>
  );
}

/** Whoever signs in with a provider alone has no password to change. */
function NoPassword(): ReactNode {
  return (
    <Card title="Password">
      <p>
        You have none: you sign in with a provider. <Link to="/forgot-password">Ask for a link</Link> to set one. You
        need one to delete the account.
      </p>
    </Card>
  );
}

function Password(): ReactNode {
  const [round, setRound] = useState(0);
  return (
    <Card title="Password">
      <p>All other devices are signed out. Programs go on: your API key stays good.</p>
      <CallForm
        key={round}
        action="Change the password"
        onSend={async (field) => {
          await changePassword(field('current_password'), field('new_password'));
          announce('Your password is changed, and all other devices are signed out.');
          setRound(round + 1);
        }}
      >
        <TextField label="Present password" name="current_password" type="password" autoComplete="current-password" />
        <TextField
          label="New password"
          name="new_password"
          type="password"
          autoComplete="new-password"
          hint="12 to 128 characters, not one of the common ones."
        />
      </CallForm>
    </Card>
  );
}

/** Who somebody is, and what signs them in. */
export function ProfilePage(): ReactNode {
  const profile = useProfile();
  const navigate = useNavigate();
  const remove = async (password: string): Promise<void> => {
    await deleteAccount(password);
    await navigate({ to: '/account-deleted', replace: true });
    session.forget();
  };
  return (
    <>
      <PageTitle>Profile</PageTitle>
      <Loaded query={profile} height={600}>
        {(data) => (
          <>
            <Facts profile={data} />
            <NameAndAvatar profile={data} />
            {data.providers.includes('email') ? (
              <>
                <Password />
                <DeleteAccount onDelete={remove} />
              </>
            ) : (
              <NoPassword />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
