package main

import (
	"fmt"
	"log"
	"net/http"
)

// hello greets whoever asks.
func hello(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	if name == "" {
		name = "Grüß Gott"
	}
	fmt.Fprintf(w, "%s\n", name)
}

func main() {
	http.HandleFunc("/", hello)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
