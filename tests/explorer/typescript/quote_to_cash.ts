// From a quote to an invoice that is half paid.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Body<Name extends keyof components["schemas"]> = components["schemas"][Name];

const server = createClient<paths, "application/json">({ baseUrl: process.env.URL ?? "", headers: { DOLAPIKEY: process.env.KEY ?? "" } });

/** The data of a response, or an error with the server's message. */
async function done<T>(call: Promise<{ data?: T; error?: { error: { message: string } } }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(error?.error.message ?? "no response");
  return data;
}

const customer = { name: "Acme", client: 1 } satisfies Body<"ThirdpartyNew">;
const socid = await done(server.POST("/thirdparties", { body: customer }));
const lines = [{ desc: "Desk, oak", qty: 3, subprice: "19.99", tva_tx: "20" }] satisfies Body<"ProposalLineNew">[];
const offer = { socid, date: "2026-11-30", lines } satisfies Body<"ProposalNew">;
const proposal = await done(server.POST("/proposals", { body: offer }));
await done(server.POST("/proposals/{id}/validate", { params: { path: { id: proposal } } }));
await done(server.POST("/proposals/{id}/close", { params: { path: { id: proposal } }, body: { status: 2 } }));
const order = await done(server.POST("/orders/createfromproposal/{proposalid}", { params: { path: { proposalid: proposal } } }));
await done(server.POST("/orders/{id}/validate", { params: { path: { id: order.id } } }));
const draft = await done(server.POST("/invoices/createfromorder/{orderid}", { params: { path: { orderid: order.id } } }));
const invoice = await done(server.POST("/invoices/{id}/validate", { params: { path: { id: draft.id } } }));
const bank = { ref: "BANK", label: "Bank", country_id: 1, currency_code: "EUR", date_solde: "2026-01-01" } satisfies Body<"BankAccountNew">;
const accountid = await done(server.POST("/bankaccounts", { body: bank }));
const half = { [invoice.id]: { amount: (Number(invoice.total_ttc) / 2).toFixed(2) } };
await done(server.POST("/invoices/paymentsdistributed", {
  body: { arrayofamounts: half, datepaye: "2026-11-30", paymentid: 2, closepaidinvoices: "no", accountid },
}));
const unpaid = await done(server.GET("/invoices", { params: { query: { status: "unpaid" } } }));
for (const each of unpaid) console.log(each.socid === socid, each.total_ttc, each.remaintopay);
const sums = await done(server.GET("/invoices/sums", { params: { query: { fields: "remaintopay", group: "socid" } } }));
for (const each of sums) console.log(each.count, each.remaintopay);
