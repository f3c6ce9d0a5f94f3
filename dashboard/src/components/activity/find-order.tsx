import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure } from '../../api/failure.js';
import { CallForm, TextField } from '../form.js';
import { Card } from '../ui.js';

/** Leads from any id of an order to its life. */
export function FindOrder(): ReactNode {
  const navigate = useNavigate();
  return (
    <Card title="What happened to an order?">
      <CallForm
        action="Find it"
        onSend={async (field) => {
          const id = field('id').trim();
          if (id === '')
            throw new Failure('bad_request', '', null, { fields: [{ field: 'id', message: 'must not be blank' }] });
          await navigate({ to: '/activity/orders/$id', params: { id } });
        }}
      >
        <TextField
          label="Order id"
          name="id"
          autoComplete="off"
          hint="Or the client order id, or the request id (req_…) that an answer or an error named."
        />
      </CallForm>
    </Card>
  );
}
