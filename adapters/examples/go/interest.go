package main

import (
	"regexp"
	"strings"
)

// registration is what a client has registered for. Clients keep a list of them, and so does each server that
// has a queue for the client.
type registration struct {
	Region        string
	Kind          string // all, key, list or regex
	Specification string
	Policy        string // none, keys or keys_values
	Values        bool   // whether events bring values
	Durable       bool   // whether servers keep it while the client is away
}

// expression is what matches whole keys; an error where it is none.
func expression(specification string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(specification); err != nil {
		return nil, err // wrapped, an expression of two halves would pass
	}
	return regexp.Compile("^(?:" + specification + ")$")
}

// covers says whether a key is registered for.
func (g registration) covers(region, key string) bool {
	if g.Region != region {
		return false
	}
	switch g.Kind {
	case "key":
		return g.Specification == key
	case "list":
		for _, one := range strings.Split(g.Specification, "\n") {
			if one == key {
				return true
			}
		}
		return false
	case "regex":
		found, err := expression(g.Specification)
		return err == nil && found.MatchString(key)
	}
	return true
}

// added is a list with a registration more. Those that differ in anything, such as the policy, stay beside it.
func added(list []registration, g registration) []registration {
	return append(kept(list, func(one registration) bool { return one != g }), g)
}

// without is a list without what is withdrawn: all registrations for these keys, whatever their policy is.
func without(list []registration, g registration) []registration {
	return kept(list, func(one registration) bool {
		return one.Region != g.Region || one.Kind != g.Kind || one.Specification != g.Specification
	})
}

// kept is what of a list meets a condition.
func kept(list []registration, stays func(registration) bool) []registration {
	found := []registration{}
	for _, one := range list {
		if stays(one) {
			found = append(found, one)
		}
	}
	return found
}

// covered says whether a list has a key, and whether any of its registrations wants values.
func covered(list []registration, region, key string) (found, values bool) {
	for _, g := range list {
		if g.covers(region, key) {
			found, values = true, values || g.Values
		}
	}
	return found, values
}

// load is what a list of registrations brings from this member's own copies. It is called with the member's mutex.
// Partitioned regions are read apart, as their buckets lie on other members, too.
func (m *member) load(list []registration) []change {
	found := []change{}
	for name, r := range m.regions {
		if r.buckets == nil {
			found = append(found, m.loadRegion(name, r, list)...)
		}
	}
	return found
}

// loadRegion is what the copy of one region brings.
func (m *member) loadRegion(name string, r *region, list []registration) []change {
	found := []change{}
	for key, e := range r.entries {
		wanted := ""
		for _, g := range list {
			if g.covers(name, key) && (wanted == "" || g.Policy == "keys_values") && g.Policy != "none" {
				wanted = g.Policy
			}
		}
		if !e.there || wanted == "" {
			continue
		}
		c := change{Region: name, Key: key, Kind: "put", Stamp: e.stamp, Image: true}
		if wanted == "keys_values" {
			c.Valid, c.Value = e.valid, e.value
		}
		found = append(found, c)
	}
	return found
}
