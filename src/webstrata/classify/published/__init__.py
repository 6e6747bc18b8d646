"""Published data sets of labelled hosts: WEBSPAM-UK2006, WEBSPAM-UK2007 and DC2010, as their files are."""
