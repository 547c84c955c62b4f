// A link that the server printed has the token behind its #, which no server is sent.
let given = location.hash.slice(1);
try {
  given = decodeURIComponent(given);
} catch {
  // it is as it is
}
document.getElementById("wrong").hidden = location.search !== "?wrong";
if (given) {
  history.replaceState(null, "", "/login");
  document.getElementById("token").value = given;
  document.getElementById("form").submit();
}
