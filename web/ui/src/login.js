// A link that the server printed has the token behind its #, which no server is sent.
const given = location.hash.slice(1);
document.getElementById("wrong").hidden = location.search !== "?wrong";
if (given) {
  history.replaceState(null, "", "/login");
  document.getElementById("token").value = given;
  document.getElementById("form").submit();
}
