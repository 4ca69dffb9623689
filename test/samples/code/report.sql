-- Revenue by month and region
WITH paid AS (
  SELECT o.id, o.region, date_trunc('month', o.paid_at) AS month, o.total
  FROM orders o
  WHERE o.paid_at >= '2024-01-01' AND o.status <> 'canceled'
)
SELECT month, region, sum(total) AS revenue
FROM paid
GROUP BY month, region
HAVING sum(total) > 1000
ORDER BY month, revenue DESC;
