"""A class as those write it who come from the reference system."""


class Points:
    """
    API class for points

    @access protected
    @class  DolibarrApiAccess {@requires user,external}
    """

    def index(self, limit=100, sortfield="t.rowid", ids=""):
        """
        List points

        Get a list of points

        @param string  $sortfield  Sort field
        @param int     $limit      Limit for list {@min 1} {@max 200}
        @param string  $ids        Identifiers {@pattern /^[0-9,]*$/i}
        @return array              Array of points

        @throws RestException 401
        """
        return [{"limit": limit, "sortfield": sortfield, "ids": ids}]

    def get(self, id):
        """
        Get one point

        @param int $id Id of the point
        @return array|mixed data without useless information

        @throws RestException 401
        @throws RestException 404 not found
        """
        return {"id": id, "kind": type(id).__name__}

    def spend(self, id, amount, comment=""):
        """
        Spend points

        @param int    $id      Id of the point
        @param int    $amount  How many {@from body} {@min 1}
        @param string $comment Why {@from body}

        @url POST {id}/spend

        @return int
        @throws RestException 304
        @throws RestException 405 not enough
        """
        return [id, amount, comment]

    def openDoor(self):
        """
        @url GET door
        @access public
        @status 202
        """
        return "open"
