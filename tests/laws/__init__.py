"""Sentences about amounts that hold after any series of operations, and a machine that looks for a series that breaks one.

`laws` has the laws, `amounts` the arithmetic by hand, `ledger` the machine's own books, `journal` the calls, `printed` the
amounts in PDFs. The rules of the machine are in `trade` (its base), `sales` (documents), `money` (payments, credit notes,
discounts) and `goods` (products, stock). A law that is broken prints the series, one line for each call. `known` ends a series at a finding that waits.

Which writing operations the machine uses; the first row that fits an operation applies, and `*` stands for anything:

| operations | used |
|---|---|
| `POST /thirdparties` `POST /bankaccounts` `POST /bankaccounts/{id}/lines` `POST /warehouses` `PUT /setup/conf/{constantname}` | yes |
| `POST /products` `PUT /products/{id}` `PATCH /products/{id}` `POST /products/{id}/subproducts/add` | yes |
| `DELETE /products/{id}/subproducts/remove/{subproduct_id}` `POST /products/{id}/selling_multiprices/per_customer` | yes |
| `PUT /products/{id}/selling_multiprices/per_customer/{priceid}` | yes |
| `DELETE /products/{id}/selling_multiprices/per_customer/{priceid}` | yes |
| `POST /proposals` `PUT /proposals/{id}` `PATCH /proposals/{id}` `DELETE /proposals/{id}` `POST /proposals/{id}/lines` | yes |
| `PUT /proposals/{id}/lines/{lineid}` `PATCH /proposals/{id}/lines/{lineid}` `DELETE /proposals/{id}/lines/{lineid}` | yes |
| `POST /proposals/{id}/validate` `POST /proposals/{id}/close` `POST /proposals/{id}/setinvoiced` | yes |
| `POST /proposals/{id}/settodraft` `POST /proposals/{id}/setuninvoiced` `POST /orders/{id}/setuninvoiced` | yes |
| `POST /orders` `PUT /orders/{id}` `PATCH /orders/{id}` `DELETE /orders/{id}` `POST /orders/{id}/lines` | yes |
| `PUT /orders/{id}/lines/{lineid}` `PATCH /orders/{id}/lines/{lineid}` `DELETE /orders/{id}/lines/{lineid}` | yes |
| `POST /orders/{id}/validate` `POST /orders/{id}/close` `POST /orders/{id}/reopen` `POST /orders/{id}/cancel` | yes |
| `POST /orders/{id}/settodraft` `POST /orders/{id}/setinvoiced` `POST /orders/createfromproposal/{proposalid}` | yes |
| `POST /orders/{id}/shipment/{warehouse_id}` `POST /shipments` `DELETE /shipments/{id}` `POST /shipments/{id}/validate` | yes |
| `POST /shipments/{id}/close` `POST /shipments/{id}/reopen` `POST /shipments/{id}/cancel` `POST /shipments/{id}/settodraft` | yes |
| `POST /stockmovements` `POST /stockmovements/transfer` `POST /stockmovements/{id}/undo` | yes |
| `POST /invoices` `PUT /invoices/{id}` `PATCH /invoices/{id}` `DELETE /invoices/{id}` `POST /invoices/{id}/lines` | yes |
| `PUT /invoices/{id}/lines/{lineid}` `PATCH /invoices/{id}/lines/{lineid}` `DELETE /invoices/{id}/lines/{lineid}` | yes |
| `POST /invoices/{id}/validate` `POST /invoices/{id}/settodraft` `POST /invoices/{id}/settopaid` | yes |
| `POST /invoices/{id}/settounpaid` `POST /invoices/{id}/payments` `POST /invoices/paymentsdistributed` | yes |
| `POST /invoices/{id}/markAsCreditAvailable` `POST /invoices/{id}/usediscount/{discountid}` | yes |
| `POST /invoices/{id}/usecreditnote/{discountid}` `POST /invoices/createfromorder/{orderid}` | yes |
| `DELETE /invoices/payments/{id}` `DELETE /invoices/{id}/usecreditnote/{discountid}` | yes |
| `POST /products/{id}/selling_multiprices/per_quantity` `POST /setup/dictionary/{name}` | yes |
| `POST /products/{id}/selling_multiprices/per_segment` `PUT /thirdparties/{id}/setpricelevel` | yes |
| `PUT /products/{id}/selling_multiprices/per_segment/{price_level}` | yes |
| `DELETE /products/{id}/selling_multiprices/per_segment/{price_level}` | yes |
| `POST /invoices/templates` `PUT /invoices/templates/{id}` `PATCH /invoices/templates/{id}` | yes |
| `DELETE /invoices/templates/{id}` `POST /invoices/templates/{id}/lines` `PUT /invoices/templates/{id}/lines/{lineid}` | yes |
| `PATCH /invoices/templates/{id}/lines/{lineid}` `DELETE /invoices/templates/{id}/lines/{lineid}` | yes |
| `POST /invoices/templates/createfrominvoice/{id}` `POST /invoices/templates/{id}/createinvoice` | yes |
| `POST */batch` | no: creates as `POST` does, entry by entry |
| `POST /proposals/{id}/line` | no: `POST /proposals/{id}/lines` with one line |
| `PUT /invoices/payments/{id}` `* *contact*` `* *categor*` `* /documents*` `* /jobs*` `* /login` `* /users*` | no: changes no amount |
| `* /webhooks*` `* /webhookdeliveries*` | no: changes no amount |
| `* *representatives*` `* */generateBankAccountDocument*` `* /setup/establishments*` | no: changes no amount |
| `* /setup/extrafields*` `* /products/attributes*` `* *variants*` `* /thirdparties/{id}/bankaccounts*` | no: changes no amount |
| `* /products/{id}/purchase_prices*` | no: the cost of a line, which is in no total |
| `* *per_quantity*` `PATCH *per_segment*` `PATCH *per_customer*` | no: the choice among prices |
| `PUT /setup/company` | yes |
| `* /setup/dictionary*` | no: the rates are the same for all series |
| `DELETE /setup/conf/{constantname}` | no: `PUT` with the default |
| `PUT /thirdparties/{id}/merge/{idtodelete}` `* /thirdparties/{id}` | no: a series has one customer |
| `* /shipments/{id}*` | no: lines of shipments are those they are made with |
| `* /warehouses/{id}` `DELETE /products/{id}` | no: records in use aren't deleted |
| `POST /bankaccounts/transfer` `* /bankaccounts/{id}*` | no: a series has one account, whose lines stay |
"""
