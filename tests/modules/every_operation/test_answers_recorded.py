"""What deletions, actions and links answer in the profile of the reference."""

from core.contract.catalogue import catalogue
from tests.modules.every_operation.test_answers_agree import is_record

#: as recorded, and for operations of ours as they were: the shape of each answer, by its verb and path
RECORDED = {
    "DELETE /thirdparties/{id}": int, "DELETE /contacts/{id}": int, "DELETE /products/{id}": int,
    "DELETE /users/{id}": int, "DELETE /orders/{id}": "success", "DELETE /proposals/{id}": "success",
    "DELETE /invoices/{id}": "success", "DELETE /documents": "success",
    "DELETE /orders/{id}/lines/{lineid}": dict, "DELETE /proposals/{id}/lines/{lineid}": dict,
    "DELETE /invoices/{id}/lines/{lineid}": dict, "DELETE /orders/{id}/contact/{contactid}/{type}": "success",
    "POST /orders/{id}/contact/{contactid}/{type}": "success", "POST /invoices/{id}/contact/{contactid}/{type}": dict,
    "DELETE /proposals/{id}/contact/{contactid}/{type}": dict, "POST /orders/{id}/reopen": int,
    "DELETE /thirdparties/{id}/categories/{category_id}": dict, "POST /invoices/{id}/usediscount/{discountid}": int,
    "POST /invoices/{id}/usecreditnote/{discountid}": int, "GET /users/{id}/setGroup/{group}": int,
    "POST /products/{id}/subproducts/add": int, "PUT /products/variants/{id}": int,
    "POST /proposals/{id}/lines": int, "POST /orders/{id}/close": dict, "POST /invoices/{id}/settopaid": dict,
}  # fmt: skip


def test_the_profile_of_the_reference_answers_as_recorded(old_server):
    served = {f"{each.verb} {each.template}": each.result for each in catalogue().operations}
    found = {}
    for name in RECORDED:
        result = served[name]
        has_success = "success" in getattr(result, "__annotations__", ())
        found[name] = "success" if has_success else dict if is_record(result) else result
    assert found == RECORDED
