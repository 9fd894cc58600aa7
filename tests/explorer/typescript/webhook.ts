// The bodies of requests to a webhook, with the types of both generators.
import type { webhooks } from "./api.js";
import type { Webhooks } from "./hey/types.gen.js";
type Body<Name extends keyof webhooks> = webhooks[Name]["post"]["requestBody"]["content"]["application/json"];
export const amount = (event: Body<"orders.validated"> | Body<"invoices.paid">): string | undefined =>
  event.type === "orders.validated" ? event.data.record?.total_ttc : event.data.record?.remaintopay;
export const customer = ({ key, body }: Webhooks): number | null | undefined =>
  key === "orders.validated" ? body.data.record?.socid : body.data.id;
